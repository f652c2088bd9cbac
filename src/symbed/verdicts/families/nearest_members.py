"""The nearest member of a family to each of some targets, by fits from many starts.

Finding it decides everything that rests on it, so what a first fit misses is sought again: over
poles, with parameters pinned, from where the targets that were reached suggest it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from symbed._types import Booleans, Floats, Integers
from symbed.engine.backend import active_backend
from symbed.engine.packed_programs import PackedPrograms
from symbed.engine.structures.requests import FitResults, FitTask
from symbed.verdicts._budgets import Budget
from symbed.verdicts.families._member_starts import (
    extrapolated,
    own_starts,
    repeated_relations,
)
from symbed.verdicts.families.drawn_members import Members
from symbed.verdicts.families.form import Form
from symbed.workbench.fitting import cuts

REACHED = 1e-9  # a form distance below it: the target is a member, up to rounding and conditioning
FLOOR = 1e-13  # relative errors below it are not worth another descent
PILOTS = 2  # targets that are searched with care; what they find starts the others
NEARLY_REACHED = 0.5  # a target that relative errors may lead to
WIDE_SPAN = 1e4  # largest output by the median one, from which on squares see few points only
REFINEMENTS = 40
MAX_REFINED = 6  # targets at once: each step is one of Python's
ITERATIONS = 60
MAX_RELATED = 2  # members that relations suggest, of as many that may fit

FIRST_DESCENTS, NEXT_DESCENTS, CAREFUL_DESCENTS = 8, 4, 48


@dataclass(frozen=True, eq=False)
class Nearest:
    """The nearest members of a form to some targets."""

    values: Floats  # (n_targets, n_parameters): the parameters of the nearest member to each target
    # (n_targets,): the form distance of each target from its nearest member, in [0, 1].
    distances: Floats

    @property
    def reached(self) -> Booleans:
        """Which targets are members, as far as floating point tells."""
        return self.distances <= REACHED


def nearest_members(form: Form, points: Floats, targets: Members, careful: bool = True) -> Nearest:
    """Fit a form to each of some members of another.

    Where the first descents did not reach a target, a ``careful`` search goes on with more, over
    poles and with pinned parameters.
    """
    search = MemberSearch(form, points, targets)
    for part in search.parts:
        search.quick(part)
        if careful:
            search.rescue(part)
    if careful:
        search.predict(search.everyone)
    return search.result()


class MemberSearch:
    """A search for nearest members: the best values so far for each target."""

    def __init__(
        self, form: Form, points: Floats, targets: Members, budget: Budget | None = None
    ) -> None:
        self.form, self.points, self.targets = form, points, targets
        self.budget = Budget() if budget is None else budget
        self.tape = form.tape(points)
        self.is_affine = self.tape.is_affine
        n = len(targets)
        self.values = np.ones((n, form.n_parameters))
        self.distances = np.ones(n)
        self.n_starts = 0  # that each target had so far
        self.packed = PackedPrograms.of([form.program])
        self.inputs = np.ascontiguousarray(points.T)
        outputs = targets.outputs
        largest = np.nanmax(np.abs(outputs), axis=1)
        # Half of the way to 1, as data of a fit are: neither squares nor slopes leave the range.
        self.scales = 2.0 ** -(np.frexp(largest)[1] // 2).astype(float)
        self.scaled = outputs * self.scales[:, None]
        self.floors = np.nansum(self.scaled**2, axis=1) * FLOOR**2
        with np.errstate(all="ignore"):
            middles = np.nanmedian(np.abs(outputs), axis=1)
            self.middles = np.where(middles > 0.0, middles, np.maximum(largest, 1e-300))
            self.spans = largest / self.middles
        self.bounds = np.array([form.lows, form.highs]).T.reshape(-1, 2)
        self.starts = own_starts(form, targets) if form.n_parameters else np.empty((n, 0, 0))
        if not form.n_parameters:
            self._judge(np.arange(n), np.empty((n, 0)))

    @property
    def everyone(self) -> Integers:
        """The places of all targets."""
        return np.arange(len(self.targets))

    @property
    def parts(self) -> tuple[Integers, Integers]:
        """The targets that are searched with care first, and the others."""
        return self.everyone[:PILOTS], self.everyone[PILOTS:]

    @property
    def reached(self) -> Booleans:
        """Which targets are members, as far as floating point tells."""
        return self.distances <= REACHED

    def missed(self, which: Integers) -> Integers:
        """Those of some targets that were not reached."""
        return which[self.distances[which] > REACHED]

    def quick(self, which: Integers) -> None:
        """A few descents for each of some targets."""
        if self.form.n_parameters:
            is_first = len(which) and which[0] < PILOTS
            few = FIRST_DESCENTS if is_first else NEXT_DESCENTS
            # An affine form has no local minima.
            self.run(which, 1 if self.is_affine else few)

    def run(
        self,
        which: Integers,
        n_descents: int,
        circle: bool = False,
        bounds: Floats | None = None,
        starts: Floats | None = None,
    ) -> None:
        """One native call for some of the targets; what is better than before is kept."""
        if not len(which):
            return
        # (n_targets, n_starts, n_parameters), those of the last solved targets before all others.
        own = self.starts[which] if starts is None else starts
        solved = self.values[self.distances <= REACHED][-4:]
        if len(solved) and bounds is None:
            again = np.broadcast_to(solved, (len(which), *solved.shape))
            own = np.concatenate([again, own], axis=1)
        limits = self.bounds if bounds is None else bounds
        own = np.clip(own, limits[:, 0], limits[:, 1])
        by_slot = np.empty_like(own)
        by_slot[:, :, list(self.form.slots)] = own
        n, p = len(which), self.form.n_parameters
        self.budget.count(n * n_descents)
        task = FitTask(
            self.packed.words, self.packed.starts, self.inputs, self.scaled[which],
            self.scales[which], self.floors[which], limits,
            np.empty((p, 0, p)), n_descents, ITERATIONS, cuts([p] * n),
            by_slot, self.middles[which] if circle else None,
        )  # fmt: skip
        results = FitResults.empty(task.places)
        active_backend().fit(task, results)
        self.n_starts = max(self.n_starts, own.shape[1])
        self._judge(which, results.values.reshape(n, p)[:, list(self.form.slots)])

    def rescue(self, which: Integers) -> None:
        """More descents for targets that were not reached: over poles, pinned, from neighbors."""
        if not len(self.missed(which)) or self.is_affine or not self.form.n_parameters:
            return
        self.predict(which)
        # On the circle, residuals are continuous where an output passes through a pole: there most
        # descents are lost.
        self.run(self.missed(which), CAREFUL_DESCENTS, circle=True)
        self.refine(which)
        self._pin(which)

    def predict(self, which: Integers) -> None:
        """Go on from where the targets that were reached suggest the solution of the others."""
        missed = self.missed(which)
        predicted = self._predicted(missed) if len(missed) and self.form.n_parameters else None
        if predicted is not None:
            self.run(missed, predicted.shape[1], starts=predicted)
            self.refine(missed)

    def _predicted(self, which: Integers) -> Floats | None:
        """Starts from the map that the targets reached so far suggest, (n, n_starts, n_parameters).

        Each parameter is taken for an affine function of the target's own values, or its magnitude
        for a monomial of theirs, whichever fits better; signs are tried both ways. And relations
        that several of them have are followed.
        """
        known = np.flatnonzero(self.distances <= REACHED)
        own = self.targets.values
        if not len(known) or not own.shape[1]:
            return None
        repeated = repeated_relations(own[known], self.values[known], own[which])
        # An affine map has n + 1 coefficients; one target more shows whether it fits.
        if len(known) < own.shape[1] + 2:
            return repeated if repeated.shape[1] else None
        guesses = np.empty((len(which), self.form.n_parameters))
        for place in range(self.form.n_parameters):
            guesses[:, place] = extrapolated(own[known], self.values[known, place], own[which])
        # The guess itself, then with the sign of one parameter at a time turned.
        flips = np.ones((1 + self.form.n_parameters, self.form.n_parameters))
        flips[1:][np.diag_indices(self.form.n_parameters)] = -1.0
        return np.concatenate([repeated, guesses[:, None, :] * flips], axis=1)

    def refine(self, which: Integers) -> None:
        """Steps with relative errors for targets that were nearly reached.

        Where outputs span many orders of magnitude, plain squares see only the largest.
        """
        missed = self.missed(which)
        near = missed[(self.distances[missed] < NEARLY_REACHED) & (self.spans[missed] > WIDE_SPAN)]
        if not len(near):
            return
        near = near[:MAX_REFINED]
        refined = [self._refined(int(k)) for k in near]
        self._judge(near, np.stack(refined))

    def _refined(self, k: int) -> Floats:
        outputs = self.targets.outputs[k]
        defined = np.isfinite(outputs)
        goal = outputs[defined]
        size = np.abs(goal)
        weights = 1.0 / np.maximum(size, max(1e-13 * float(size.max()), 1e-300))
        slots = list(self.form.slots)
        at, damping, best = self.values[k].copy(), 1e-3, np.inf
        model: tuple[Floats, Floats] | None = None
        trial = at
        with np.errstate(all="ignore"):
            for _ in range(REFINEMENTS):
                by_slot = np.empty(len(slots))
                by_slot[slots] = trial
                values = np.broadcast_to(self.tape.outputs(by_slot.tolist()), len(outputs))
                residual = (values[defined] - goal) * weights
                loss = float(residual @ residual)
                if loss < best:
                    gain = best - loss
                    at, best, damping = trial, loss, max(damping / 5.0, 1e-15)
                    slopes = (self.tape.slopes(1.0)[slots][:, defined] * weights).T
                    if not np.isfinite(slopes).all():
                        break
                    model = slopes, residual
                    if best < len(goal) * FLOOR**2 or gain < 1e-10 * best:
                        break
                else:
                    damping *= 8.0
                if model is None or damping > 1e12:
                    break
                # Levenberg and Marquardt's step. Columns of length 1, so that damping is free of
                # units; stacked rows, since J'J would square the condition.
                scale = np.linalg.norm(model[0], axis=0)
                scale = np.where(scale > 0.0, scale, 1.0)
                stacked = np.vstack([model[0] / scale, np.sqrt(damping) * np.eye(len(slots))])
                right = np.concatenate([-model[1], np.zeros(len(slots))])
                step = np.linalg.lstsq(stacked, right, rcond=None)[0] / scale
                trial = np.clip(at + step, self.bounds[:, 0], self.bounds[:, 1])
        return np.asarray(at, np.float64)

    def _pin(self, which: Integers) -> None:
        """With one parameter held at 0, 1 or -1: there, special cases live."""
        for place in range(self.form.n_parameters):
            for pinned in (1.0, 0.0, -1.0):
                missed = self.missed(which)
                if not len(missed) or self.budget.is_spent:
                    return
                bounds = self._pinned(place, pinned)
                if bounds is None:
                    continue
                # Two targets tell whether this number is worth a call for all of them.
                self.run(missed[:PILOTS], NEXT_DESCENTS, bounds=bounds)
                if len(self.missed(missed[:PILOTS])) < len(missed[:PILOTS]):
                    self.run(missed, NEXT_DESCENTS, bounds=bounds)

    def _pinned(self, place: int, value: float) -> Floats | None:
        """Bounds that hold one parameter at a value; None where its range lacks it."""
        low, high = self.bounds[place]
        if not low <= value <= high:
            return None
        bounds = self.bounds.copy()
        bounds[place] = value
        return bounds

    def pinned(self, which: Integers, place: int, value: float) -> Floats | None:
        """Members with one parameter at a value that some targets are; None if one is not."""
        bounds = self._pinned(place, value)
        if bounds is None:
            return None
        kept = self.values.copy(), self.distances.copy()
        # As if nothing were known, since a run keeps only what is better than before.
        self.distances[which] = 1.0
        self.run(which, FIRST_DESCENTS, bounds=bounds)
        values, missed = self.values[which].copy(), len(self.missed(which))
        self.values, self.distances = kept
        return None if missed else values

    def alternatives(self, target: int) -> Iterator[Floats]:
        """Other members that a target is as near to, each with a parameter at 0, 1 or -1."""
        which = np.array([target])
        kept = self.values[target].copy(), self.distances[target]
        for place in range(self.form.n_parameters):
            for pinned in (0.0, 1.0, -1.0):
                bounds = self._pinned(place, pinned)
                if bounds is None:
                    continue
                self.distances[target] = 1.0
                self.run(which, NEXT_DESCENTS, bounds=bounds)
                values, distance = self.values[target].copy(), self.distances[target]
                self.values[target], self.distances[target] = kept
                if distance <= REACHED:
                    yield values

    def related(self, target: int) -> Iterator[Floats]:
        """Members that a target is, if it has the relations that other targets have.

        Where outputs span many orders of magnitude, fits see the largest only and let a parameter
        run off; the others know better.
        """
        known = self.reached.copy()
        known[target] = False
        own = self.targets.values
        if not known.any() or not own.shape[1] or not self.form.n_parameters:
            return
        starts = repeated_relations(own[known], self.values[known], own[[target]])[0]
        starts = np.clip(starts, self.bounds[:, 0], self.bounds[:, 1])
        outputs = self.form.outputs(self.points, starts)
        goal = np.repeat(self.targets.outputs[[target]], len(starts), axis=0)
        yield from starts[form_distances_of(goal, outputs) <= REACHED][:MAX_RELATED]

    def _judge(self, which: Integers, values: Floats) -> None:
        outputs = self.form.outputs(self.points, values)
        distances = form_distances_of(self.targets.outputs[which], outputs)
        better = distances < self.distances[which]
        self.values[which[better]] = values[better]
        self.distances[which[better]] = distances[better]

    def result(self) -> Nearest:
        """What was found."""
        return Nearest(self.values, self.distances)


def form_distances_of(targets: Floats, outputs: Floats) -> Floats:
    """2|e - f| / (|e| + |f| + |e - f|) in RMS norms, on the points where the target is defined.

    1 where an output is missing there. Rows are scaled first: members near 1e294 would overflow.
    """
    defined = np.isfinite(targets)
    with np.errstate(all="ignore"):
        sizes = np.fmax(np.abs(targets), np.abs(outputs))
        scale = np.max(np.where(defined, sizes, 0.0), axis=1)
        scale = np.where(scale > 0.0, scale, 1.0)[:, None]
        e = np.where(defined, targets / scale, 0.0)
        f = np.where(defined, outputs / scale, 0.0)
        of_e, of_f, apart = (np.sqrt(np.sum(part * part, axis=1)) for part in (e, f, e - f))
        distances = 2.0 * apart / (of_e + of_f + apart)
    missing = (defined & ~np.isfinite(outputs)).any(axis=1)
    # 0/0: two functions that are zero are the same.
    distances = np.where((of_e == 0.0) & (of_f == 0.0), 0.0, distances)
    return np.where(missing | ~np.isfinite(distances), 1.0, distances)
