"""What all experiments share: units of work, the journal, tables, claims, reports and pages."""
