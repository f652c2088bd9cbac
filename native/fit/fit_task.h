// The entrance of fitting; its task is one of api/structures.h.
#pragma once
#include "api/core.h"

constexpr int64_t MOST_FITTED = 256;  // parameters of one program (symbed.limits)

SYMBED_API int64_t symbed_fit(const FitTask* task);
