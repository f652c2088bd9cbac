"""Fitting in NumPy: find the parameters of programs with the least squared error on data.

The twin of ``native/fit``, number by number: Levenberg and Marquardt's steps from several starts,
with exact slopes, inside of bounds. Starts are measured first, and descents go from the best ones;
an affine program has no local minima and needs one descent. A step is accepted only if the loss
falls, so nothing ends worse than it started. Equations are solved in plain loops in the order of
the core, because the order of operations is what makes the bits the same.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from symbed._types import Floats
from symbed.engine.reference.distances import sum_lanes
from symbed.engine.reference.tape import Tape
from symbed.engine.structures.requests import FitResults, FitTask

FIRST_DAMPING, AFFINE_DAMPING = 1e-3, 1e-12
MIN_DAMPING, MAX_DAMPING = 1e-15, 1e12
SMALL_GAIN = 1e-10  # of the loss; less than it is not worth a step
SMALL_STEP = 2.0**-48  # of a parameter
COARSE = 2.0**-540  # in this scale no sum of squares overflows
HUGE_RATIO = 2.0**500  # its square would overflow
CIRCLE_FLOOR = 2.0**-60  # chords so small that plain steps do the rest

Row = list[float]


def fit(task: FitTask, results: FitResults) -> None:
    """Fit each program of the task, and fill the results."""
    words = task.words.tolist()
    for k in range(len(task.starts) - 1):
        with np.errstate(all="ignore"):
            tape = Tape(words[task.starts[k] : task.starts[k + 1]], task.variables)
            for target in range(len(task.targets)):
                fitter = _Fitter(task, tape, target)
                converged = fitter.fit() if tape.n_slots else True
                place = k * len(task.targets) + target
                results.errors[place] = fitter.errors()
                results.values[task.places[place] : task.places[place + 1]] = fitter.best
                results.counts[place] = fitter.evaluations, converged


class _Fitter:
    """The search for one program's parameters, for one of the targets."""

    def __init__(self, task: FitTask, tape: Tape, target: int) -> None:
        self.task, self.tape = task, tape
        self.target = task.targets[target]
        self.defined = self.target == self.target
        self.target_scale = float(task.scales[target])
        self.floor = float(task.floors[target])
        self.middle = None if task.middles is None else float(task.middles[target])
        self.on_circle = False
        ranges = [tape.ranges[slot] for slot in range(tape.n_slots)]
        self.low, self.high = (task.bounds[ranges, end].tolist() for end in (0, 1))
        shared = task.initial[ranges, :, range(tape.n_slots)].T
        own = task.own_starts[target, :, : tape.n_slots]
        self.initial = np.concatenate([own, shared]) if len(own) else shared
        self.scale = self.target_scale
        self.evaluations = 1  # the errors in the end
        self.best: Row = []
        self.best_loss = math.inf
        self.rested = False

    def fit(self) -> bool:
        """Find the best parameters; whether the descent that found them came to rest."""
        # What is left where nothing is defined at any start.
        self.best = self._start(0)
        if self.middle is not None and not self.tape.is_affine:
            self._try_starts_on_circle()
            if self.best_loss < math.inf:
                return self.rested
        if ranked := self._rank_starts():
            self._try_starts(ranked, self.floor)
            return self.rested
        # Squares that overflow do not in smaller units; from there on it goes as usual.
        self.scale = COARSE
        self._try_starts(self._rank_starts(), 0.0)
        self.scale = self.target_scale
        if self.best_loss < math.inf:
            loss, self.best_loss = self._loss(self.best, math.inf), math.inf
            if loss < math.inf:
                self._try_start(self.best, loss, self.floor)
        return self.rested

    def errors(self) -> tuple[float, float]:
        """Root mean squared and mean absolute error of the best; infinite where undefined."""
        outputs, n = self.tape.outputs(self.best), int(self.defined.sum())
        # In coarse units only where squares overflow: there small residuals would vanish.
        for scale in (self.target_scale, COARSE):
            residuals = self._plain_residuals(outputs, scale)
            squares, magnitudes = sum_lanes(np.stack([residuals * residuals, np.abs(residuals)]))
            if math.isfinite(squares):
                return math.sqrt(squares / n) / scale, float(magnitudes / n / scale)
        return math.inf, math.inf

    def _start(self, start: int) -> Row:
        values: Row = self.initial[start].tolist()
        return values

    def _rank_starts(self) -> list[tuple[float, int]]:
        """The best starts with their losses, the earlier first of equal ones."""
        wanted = min(self.task.n_descents, len(self.initial))
        ranked: list[tuple[float, int]] = []
        for start in range(wanted if self.tape.is_affine else len(self.initial)):
            # Once there are enough, only what is better than the worst of them needs to be known.
            bound = ranked[-1][0] if len(ranked) == wanted else math.inf
            loss = self._loss(self._start(start), bound)
            if loss < math.inf:
                ranked = sorted([*ranked, (loss, start)])[:wanted]
        return ranked

    def _try_starts(self, ranked: Sequence[tuple[float, int]], floor: float) -> None:
        for loss, start in ranked[:1] if self.tape.is_affine else ranked:
            if self.best_loss > floor:
                self._try_start(self._start(start), loss, floor)

    def _try_starts_on_circle(self) -> None:
        """Go down on the circle, then plainly from there: poles do not stand in the way so."""
        # At poles the squared error is infinite, and most descents were lost there.
        self.on_circle = True
        ranked = self._rank_starts()
        for _, start in ranked:
            if self.best_loss <= self.floor:
                break
            at = self._start(start)
            self.on_circle = True
            model = self._model(at, math.inf)
            if model is not None:
                at = self._descend(at, model, CIRCLE_FLOOR)[0]
            self.on_circle = False
            loss = self._loss(at, math.inf)
            if loss < math.inf:
                self._try_start(at, loss, self.floor)
        self.on_circle = False

    def _try_start(self, at: Row, loss: float, floor: float) -> None:
        """Go down from a start, and keep what is found if it is the best so far."""
        model = self._model(at, math.inf)
        if model is not None:
            at, loss, rested = self._descend(at, model, floor)
            if loss < self.best_loss:
                self.rested = rested
        if loss < self.best_loss:
            self.best, self.best_loss = at, loss

    def _descend(self, at: Row, here: Model, floor: float) -> tuple[Row, float, bool]:
        """The lowest point reached, its loss, and whether the descent came to rest there."""
        damping = AFFINE_DAMPING if self.tape.is_affine else FIRST_DAMPING
        growth = 2.0
        for _ in range(self.task.max_iterations):
            if here.loss <= floor:
                return at, here.loss, True
            gain, there = 0.0, None
            worth = SMALL_GAIN * here.loss
            damped = self._find_step(at, here, damping)
            if damped is not None:
                trial, step = damped
                if _is_small(step, at):
                    return at, here.loss, True
                gain = here.gain(step)
                # Hardly damped, a step is nearly that of Gauss and Newton: nothing is left to gain.
                if gain <= worth and damping <= FIRST_DAMPING:
                    return at, here.loss, True
                if gain > 0.0:
                    there = self._model(trial, here.loss)
            if there is None:
                if 0.0 < gain <= worth or damping * growth > MAX_DAMPING:
                    return at, here.loss, True
                damping *= growth
                growth *= 2.0
                continue
            got = here.loss - there.loss  # positive: a model is made only below the present loss
            at, here = trial, there
            damping, growth = _eased(damping, got / gain), 2.0
            if got <= worth and gain <= worth:
                return at, here.loss, True
        return at, here.loss, False

    def _find_step(self, at: Row, here: Model, damping: float) -> tuple[Row, Row] | None:
        """Where the damped step inside of the bounds leads, and the step; None if there is none."""
        trial, step, scale = list(at), [0.0] * len(at), here.sizes()
        free = [i for i in range(len(at)) if not self._is_held(i, at[i], here.gradient[i])]
        while free:
            if not solve(here, scale, free, damping, step):
                return None
            still_free = []
            for i in free:
                trial[i] = at[i] + step[i]
                if self.low[i] <= trial[i] <= self.high[i]:
                    still_free.append(i)
                else:  # stops at the bound, and the others adapt to that
                    trial[i] = self.low[i] if trial[i] < self.low[i] else self.high[i]
                    step[i] = trial[i] - at[i]
            if len(still_free) == len(free):
                break
            free = still_free
        return trial, step

    def _is_held(self, i: int, at: float, slope: float) -> bool:
        """Whether a bound holds a parameter against which the loss pushes it."""
        return (at <= self.low[i] and slope > 0.0) or (at >= self.high[i] and slope < 0.0)

    def _plain_residuals(self, outputs: Floats, scale: float) -> Floats:
        """Outputs less the target, times a scale; zero at the points that are left out."""
        # The target is given times its scale already; the outputs are not.
        residuals = outputs * scale - self.target * (scale / self.target_scale)
        return np.where(self.defined, residuals, 0.0)

    def _residuals(self, parameters: Row) -> Residuals:
        outputs = self.tape.outputs(parameters)
        if not self.on_circle or self.middle is None:
            plain = self._plain_residuals(outputs, self.scale)
            return Residuals(plain, plain, None)
        goal = self.target / self.target_scale / self.middle
        image = np.broadcast_to(outputs, len(goal)) / self.middle
        loss, pull, factors = chords(image, goal, self.middle)
        defined = self.defined
        return Residuals(np.where(defined, loss, 0.0), np.where(defined, pull, 0.0), factors)

    def _loss(self, parameters: Row, bound: float) -> float:
        """The sum of squared residuals; infinite unless it is finite and below ``bound``."""
        self.evaluations += 1
        return self._squares(self._residuals(parameters).loss, bound)

    def _squares(self, residuals: Floats, bound: float) -> float:
        loss = float(sum_lanes((residuals * residuals)[None])[0])
        return loss if loss < bound else math.inf

    def _model(self, parameters: Row, bound: float) -> Model | None:
        """The model at some parameters; None unless its loss is below ``bound``."""
        self.evaluations += 1
        residuals = self._residuals(parameters)
        loss = self._squares(residuals.loss, bound)
        if loss == math.inf:
            return None
        if residuals.factors is None:
            slopes = self.tape.slopes(self.scale)
        else:
            slopes = self.tape.slopes(1.0) * residuals.factors
        slopes = np.where(self.defined, slopes, 0.0)
        # A slope that is not finite says nothing about where to go, and counts as zero.
        return Model.of(loss, slopes, residuals.pull) or Model.of(
            loss, np.where(np.isfinite(slopes), slopes, 0.0), residuals.pull
        )


class Residuals(NamedTuple):
    """Residuals at some parameters.

    Attributes
    ----------
    loss : ndarray
        What is squared and summed, (n_points,).
    pull : ndarray
        What the slopes are multiplied by in the gradient, (n_points,).
    factors : ndarray or None
        Factors of the slopes of the outputs, (n_points,); None where they are plain.
    """

    loss: Floats
    pull: Floats
    factors: Floats | None


def chords(image: Floats, goal: Floats, middle: float) -> Residuals:
    """Chords between the stereographic images of outputs and targets, in units of ``middle``.

    A number u becomes the point (2u/(1 + u^2), (1 - u^2)/(1 + u^2)) of the circle, at the angle
    2*atan(u): what passes through a pole moves on continuously there.
    """
    image_sine, image_cosine = _half_angle(image)
    goal_sine, goal_cosine = _half_angle(goal)
    sine = image_sine * goal_cosine - image_cosine * goal_sine
    cosine = image_cosine * goal_cosine + image_sine * goal_sine
    # The factors are slopes of the arc, which do not vanish where those of the chord do; with the
    # cosine in the pull, their product is the gradient of the squared chord.
    factors = 2.0 * (image_cosine * image_cosine) / middle
    return Residuals(2.0 * sine, 2.0 * (sine * cosine), factors)


def _half_angle(u: Floats) -> tuple[Floats, Floats]:
    """Sine and cosine of half the angle of the image of u."""
    size = np.abs(u)
    root = np.sqrt(1.0 + u * u)
    is_huge = size > HUGE_RATIO
    return (
        np.where(is_huge, np.where(u > 0.0, 1.0, -1.0), u / root),
        np.where(is_huge, 1.0 / size, 1.0 / root),
    )


def _is_small(step: Row, at: Row) -> bool:
    return all(abs(s) <= SMALL_STEP * abs(x) for s, x in zip(step, at, strict=True))


def _eased(damping: float, ratio: float) -> float:
    """Nielsen's rule: the better the model foretold the gain, the less damping comes next."""
    # H. B. Nielsen (1999) has 1/3 as the least factor, where 0.1 is here.
    off = 2.0 * ratio - 1.0
    return max(MIN_DAMPING, damping * max(0.1, 1.0 - off * off * off))


@dataclass(frozen=True)
class Model:
    """The quadratic model of the loss at some parameters: loss + 2 g.s + s.A.s for a step s.

    Attributes
    ----------
    loss : float
        Sum of squared residuals.
    matrix : list of list of float
        A, the products of slopes.
    gradient : list of float
        g, the products of slopes with the residuals.
    """

    loss: float
    matrix: list[Row]
    gradient: Row

    @classmethod
    def of(cls, loss: float, slopes: Floats, residuals: Floats) -> Model | None:
        """The model of these slopes (n_slots, n_points); None if a sum is not finite."""
        products = [sum_lanes(slopes[i] * slopes[i:]).tolist() for i in range(len(slopes))]
        gradient = sum_lanes(slopes * residuals).tolist()
        if not all(map(math.isfinite, [*gradient, *(x for row in products for x in row)])):
            return None
        matrix = [
            [products[min(i, j)][abs(i - j)] for j in range(len(slopes))]
            for i in range(len(slopes))
        ]
        return cls(loss, matrix, gradient)

    def gain(self, step: Row) -> float:
        """By how much the loss should fall."""
        total = 0.0
        for i, move in enumerate(step):
            row = 2.0 * self.gradient[i]
            for slope, other in zip(self.matrix[i], step, strict=True):
                row += slope * other
            total += move * row
        return -total

    def sizes(self) -> Row:
        """The parameters' scales in the damping: the sizes of their columns of slopes."""
        # Of this place, not the largest so far: where the loss falls by orders of magnitude, as
        # with exponentials, earlier scales would hold it up. A column of zeros must not divide.
        return [math.sqrt(row[i]) or 1.0 for i, row in enumerate(self.matrix)]


def solve(model: Model, scale: Row, free: list[int], damping: float, step: Row) -> bool:
    """Set the damped step of the free parameters, where the others make the steps given.

    False if the matrix has no Cholesky factor.
    """
    factor = _factorized(model, scale, free, damping)
    if factor is None:
        return False
    # What is left in the step are the moves of parameters at bounds, which shift the gradient.
    for i in free:
        step[i] = 0.0
    # Forward, then backward substitution, in the order of the core.
    z: Row = []
    for at, i in enumerate(free):
        slope = model.gradient[i]
        for product, other in zip(model.matrix[i], step, strict=True):
            slope += product * other
        total = -slope / scale[i]
        for k in range(at):
            total -= factor[at][k] * z[k]
        z.append(total / factor[at][at])
    for at in range(len(free) - 1, -1, -1):
        for k in range(at + 1, len(free)):
            z[at] -= factor[k][at] * z[k]
        z[at] /= factor[at][at]
    for at, i in enumerate(free):
        step[i] = z[at] / scale[i]
    return True


def _factorized(model: Model, scale: Row, free: list[int], damping: float) -> list[Row] | None:
    """Cholesky's factor of the scaled and damped matrix of the free parameters."""
    factor: list[Row] = []
    for at, row in enumerate(free):
        factor.append([])
        for place, column in enumerate(free[: at + 1]):
            # Scaled to a unit diagonal, so that the damping means the same to every parameter.
            total = model.matrix[row][column] / scale[row] / scale[column]
            if place == at:
                total += damping
            for k in range(place):
                total -= factor[at][k] * factor[place][k]
            if place != at:
                factor[at].append(total / factor[place][place])
            elif 0.0 < total < math.inf:
                factor[at].append(math.sqrt(total))
            else:
                return None
    return factor
