// The entrances of the library: pass calls on to the kernels of the best instruction set.
#include "api/core.h"

#include <atomic>
#include <string.h>

namespace baseline { extern const Kernels kernels; }
#ifdef SYMBED_X86_SETS
namespace avx2 { extern const Kernels kernels; }
namespace avx512 { extern const Kernels kernels; }
#endif

namespace {

bool always() { return true; }
#ifdef SYMBED_X86_SETS
bool has_avx2() { return __builtin_cpu_supports("avx2"); }
bool has_avx512() {
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512vl");
}
#endif

struct InstructionSet {
    const char* name;
    bool (*supported)();
    const Kernels* kernels;
};

// Best first. The code for a set that the processor lacks is never entered.
const InstructionSet SETS[] = {
#ifdef SYMBED_X86_SETS
    {"avx512", has_avx512, &avx512::kernels},
    {"avx2", has_avx2, &avx2::kernels},
#endif
    {"baseline", always, &baseline::kernels},
};

std::atomic<const InstructionSet*> chosen{nullptr};

const InstructionSet& in_use() {
    const InstructionSet* set = chosen.load(std::memory_order_acquire);
    if (set) return *set;
    for (const InstructionSet& candidate : SETS)
        if (candidate.supported()) {
            // A set selected meanwhile by another thread stays.
            const InstructionSet* none = nullptr;
            chosen.compare_exchange_strong(none, &candidate);
            return *chosen.load(std::memory_order_acquire);
        }
    return SETS[sizeof SETS / sizeof *SETS - 1];
}

const char* const MESSAGES[STATUS_COUNT] = {
    "done",
    "there is not enough memory",
    "the words of a program begin or end outside of the code",
    "a word is neither operator, variable, parameter nor number",
    "a number is cut off",
    "an operator has too few operands",
    "it does not leave exactly one value",
    "a variable has no row in the table of inputs",
    "a parameter has no column of draws",
    "a parameter's range has no row of moves",
    "a parameter is drawn from two ranges",
    "a sentinel is not one of the points",
    "counts of points and draws must be positive, and columns as long as the points or 1",
    "a count of defined outputs is not between 0 and the number of draws",
    "the order p must be 1 or 2",
    "there is no such instruction set in this build",
    "this processor lacks the instruction set",
};

struct OperatorRow {
    const char* name;
    int arity;
};
const OperatorRow OPERATORS[] = {
#define OPERATOR(name, arity, function, loop) {name, arity},
#include "eval/operators.def"
#undef OPERATOR
};
const int OPERATOR_COUNT = sizeof OPERATORS / sizeof *OPERATORS;

}  // namespace

int64_t symbed_observe(const Observation* observation) {
    return in_use().kernels->observe(*observation);
}

int64_t symbed_cross(const Behaviors* a, const Behaviors* b, const Measure* measure, double* out) {
    return in_use().kernels->cross(*a, *b, *measure, out);
}

int64_t symbed_screen(const Behaviors* a, const Behaviors* b, const Measure* measure,
                      double within, double* out) {
    return in_use().kernels->screen(*a, *b, *measure, within, out);
}

int64_t symbed_add_singles(int64_t rounds, double* total) {
    return in_use().kernels->add_singles(rounds, total);
}

int64_t symbed_arcsinh(const double* values, int64_t count, double* out) {
    return in_use().kernels->arcsinh(values, count, out);
}

int64_t symbed_sweep(const Observation* observation, const Behaviors* targets,
                     const Measure* measure, double* out) {
    return in_use().kernels->sweep(*observation, *targets, *measure, out);
}

int64_t symbed_profile(const Behaviors* u, const Behaviors* v, const Measure* measure,
                       double* out) {
    return in_use().kernels->profile(*u, *v, *measure, out);
}

static Behaviors one(const Behaviors& side, int64_t place) {
    return {side.values + place * side.draws * side.n_points, side.defined + place * side.n_points,
            1, side.draws, side.n_points};
}

int64_t symbed_paired(const Behaviors* a, const Behaviors* b, const Pairs* pairs,
                      const Measure* measure, double* out) {
    for (int64_t k = 0; k < pairs->count; k++) {
        const int64_t i = pairs->a[k], j = pairs->b[k];
        if (i < 0 || i >= a->count || j < 0 || j >= b->count) return BAD_SHAPE;
        const Behaviors u = one(*a, i), v = one(*b, j);
        if (int64_t status = symbed_cross(&u, &v, measure, out + k)) return status;
    }
    return DONE;
}

int64_t symbed_fit(const FitTask* task) { return in_use().kernels->fit(*task); }

int64_t symbed_sketch(const Behaviors* side, const SketchPlan* plan, float* values, double* keys) {
    return in_use().kernels->sketch(*side, *plan, values, keys);
}

int64_t symbed_scan(const Scan* scan, float* out) { return in_use().kernels->scan(*scan, out); }

const char* symbed_message(int64_t status) {
    const int64_t code = status & 0xff;
    return code < STATUS_COUNT ? MESSAGES[code] : "unknown status";
}

const char* symbed_operator_name(int code) {
    return code >= 0 && code < OPERATOR_COUNT ? OPERATORS[code].name : nullptr;
}

int symbed_operator_arity(int code) {
    return code >= 0 && code < OPERATOR_COUNT ? OPERATORS[code].arity : -1;
}

// FNV-1a over names and arities in the order of the codes; symbed.engine._native does the same.
static int64_t operators_checksum() {
    uint64_t checksum = 0xCBF29CE484222325u;
    const auto add = [&](uint8_t byte) { checksum = (checksum ^ byte) * 0x100000001B3u; };
    for (const OperatorRow& row : OPERATORS) {
        for (const char* letter = row.name; *letter; letter++) add(uint8_t(*letter));
        add(0);
        add(uint8_t(row.arity));
    }
    return int64_t(checksum >> 1);
}

int64_t symbed_describe(int64_t* facts, int64_t room) {
    const int64_t all[] = {
        SYMBED_ABI_VERSION, operators_checksum(),
        sizeof(Observation), sizeof(Behaviors), sizeof(Measure), sizeof(Pairs),
        sizeof(SketchPlan), sizeof(Scan), sizeof(FitTask),
        sizeof(words::GrammarTables), sizeof(words::ReaderTables), sizeof(words::Sampling),
        sizeof(words::Reading), sizeof(Trees), sizeof(EditCosts), sizeof(SymbolTable),
    };
    const int64_t count = sizeof all / sizeof *all;
    for (int64_t i = 0; i < count && i < room; i++) facts[i] = all[i];
    return count;
}

const char* symbed_isa() { return in_use().name; }

const char* symbed_supported_isa(int place) {
    for (const InstructionSet& set : SETS)
        if (set.supported() && place-- == 0) return set.name;
    return nullptr;
}

int64_t symbed_select_isa(const char* name) {
    for (const InstructionSet& set : SETS)
        if (!strcmp(set.name, name)) {
            if (!set.supported()) return UNSUPPORTED_ISA;
            chosen.store(&set, std::memory_order_release);
            return DONE;
        }
    return UNKNOWN_ISA;
}
