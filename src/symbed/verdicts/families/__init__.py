"""Is one family contained in another? What ``relate``, ``effective`` and form distances rest on."""
