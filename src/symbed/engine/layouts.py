"""Every structure of the native core, field by field, as in ``native/api/structures.h``.

Sizes are compared with those of the core when it is loaded; a test compares the declarations.
"""

from __future__ import annotations

from symbed.engine.packing import Layout

# fmt: off

# What programs are, and what they are evaluated on.
PROGRAMS = """
const int32_t* words [n_words]
const int64_t* starts [n_programs + 1]
int64_t n_words, n_programs
const double* variables [n_variables, n_points]
int64_t n_variables, n_points
"""

OBSERVATION = Layout("Observation", PROGRAMS + """
const double* columns [n_all_columns, n_draws, column_points]
int64_t n_all_columns, n_draws, column_points
const int64_t* bases [n_programs]
int64_t n_columns
const double* moves [n_moves, 3]
int64_t n_moves
const int64_t* sentinels [n_sentinels]
int64_t n_sentinels
double limit
double* out [n_programs, n_draws, n_points]
int32_t* defined [n_programs, n_points]
""")
BEHAVIORS = Layout("Behaviors", """
const double* values [count, draws, n_points]
const int32_t* defined [count, n_points]
int64_t count, draws, n_points
""")
MEASURE = Layout("Measure", "int64_t order; double mismatch")
PAIRS = Layout("Pairs", "const int64_t* a [count]; const int64_t* b [count]; int64_t count")
SKETCH_PLAN = Layout("SketchPlan", """
int64_t n_points, n_blocks, width
const int32_t* groups [n_points]
const double* shares [width]
const double* signs [n_points]
""")
SCAN = Layout("Scan", """
const float* values [n_sketches, n_blocks, width]
int64_t n_sketches, n_blocks, width
const int64_t* rows [count]
int64_t first, count
const float* query [query_blocks, width]
int64_t query_blocks
const float* weights [width]
int64_t order
""")
FIT_TASK = Layout("FitTask", PROGRAMS + """
const double* targets [n_targets, n_points]
const double* scales [n_targets]
const double* floors [n_targets]
const double* middles [n_targets]
int64_t n_targets
const double* bounds [n_ranges, 2]
const double* initial [n_ranges, n_starts, n_slots]
int64_t n_ranges, n_starts, n_slots
const double* own [n_targets, n_own, n_slots]
int64_t n_own, n_descents, max_iterations
const int64_t* places [n_fits + 1]
double* values [n_values]
double* errors [n_fits, 2]
int32_t* counts [n_fits, 2]
""")
GRAMMAR_TABLES = Layout("GrammarTables", """
const int64_t* rules [n_nonterminals + 1]
const uint64_t* thresholds [n_rules]
const int64_t* sides [n_rules + 1]
const int32_t* symbols [n_symbols]
const int64_t* growth [n_rules]
int64_t n_nonterminals, n_rules, n_symbols, n_tokens, shortest
""")
READER_TABLES = Layout("ReaderTables", """
const int32_t* tokens [n_tokens, 6]
const int32_t* items [n_items, 4]
int64_t n_tokens, n_items
int32_t power, negation
int64_t nesting
""")
SAMPLING = Layout("Sampling", """
const GrammarTables* grammar
const ReaderTables* reader
uint64_t origin
int64_t attempt, steps, patience, n_found, n_wanted, shortest, longest
int32_t* tokens [capacity]
int64_t capacity
int64_t* starts [n_starts]
int64_t* counts [n_rules]
int64_t* applied [n_rules]
int32_t* scratch [n_scratch]
uint64_t* seen [n_seen]
int64_t n_seen, outcome
""")
READING = Layout("Reading", """
const ReaderTables* reader
const int32_t* tokens [n_all_tokens]
const int64_t* starts [n_words + 1]
int64_t n_words, capacity
int32_t* items [capacity]
int64_t* ends [n_words + 1]
int32_t* scratch [n_scratch]
int64_t failed
""")
TREES = Layout("Trees", """
const int32_t* labels [n_nodes]
const int32_t* arities [n_nodes]
const int64_t* starts [count + 1]
int64_t count
""")
EDIT_COSTS = Layout("EditCosts", """
const int32_t* weights [n_labels]
const int32_t* changes [n_labels, n_labels]
int64_t n_labels
""")
SYMBOL_TABLE = Layout("SymbolTable", """
const char* names [n_letters]
const int64_t* name_starts [n_names + 1]
const int32_t* roles [n_names]
const int32_t* values [n_names]
const double* numbers [n_names]
int64_t n_names
const uint8_t* commutative [256]
""")

# In the order in which the core tells their sizes.
LAYOUTS = (
    OBSERVATION, BEHAVIORS, MEASURE, PAIRS, SKETCH_PLAN, SCAN, FIT_TASK, GRAMMAR_TABLES,
    READER_TABLES, SAMPLING, READING, TREES, EDIT_COSTS, SYMBOL_TABLE,
)
