"""A map: positions of rows in the plane, similar rows close together. Deterministic for the same rows.

Up to 500 landmarks (the rows themselves, or centroids of cells) are laid out by t-SNE (van der Maaten and
Hinton 2008), initialized with two principal components (Kobak and Berens 2019). Each row is then placed
between its nearest landmarks, and moved halfway to its neighbors.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ark_tui.analysis.neighbours import landmarks
from ark_tui.analysis.network import shares
from ark_tui.domain.protocols import NEVER, OnProgress, Stop, check, ignore
from ark_tui.domain.work import Progress

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ark_tui.analysis.network import Sparse
    from ark_tui.domain.protocols import Matrix

    Floats = NDArray[np.float64]

LANDMARKS = 500
PERPLEXITY = 30.0
STEPS = 300
EXAGGERATED = 100  # the first steps, with exaggeration
EXAGGERATION = 12.0
NEAREST = 3  # landmarks per row
SHARPNESS = 20.0  # of their weights, per unit of cosine
AT_ONCE = 8192
STAGE = "map"


def layout(vectors: Matrix, near: Sparse, stop: Stop = NEVER, progress: OnProgress = ignore) -> Floats:
    """Positions of unit rows, `(n, 2)` within −1…1. `near`: the neighbors of each row."""
    if not len(vectors):
        return np.empty((0, 2))
    if len(vectors) <= LANDMARKS:
        places = _embedded(vectors, stop, progress)
    else:
        marks = landmarks(vectors, LANDMARKS, stop)
        places = _among(vectors, marks, _embedded(marks, stop, progress), stop)
        around = shares(near)
        has = np.diff(around.indptr) > 0
        places[has] = (places[has] + (around @ places)[has]) / 2
    places = places - (places.max(axis=0) + places.min(axis=0)) / 2
    extent = np.abs(places).max(axis=0)
    return np.asarray(places / np.where(extent > 0, extent, 1.0))


def _embedded(vectors: Matrix, stop: Stop, progress: OnProgress) -> Floats:
    """t-SNE of a few hundred unit rows."""
    start = _principal(vectors.astype(np.float64))
    if len(vectors) < 4:
        return start
    wanted = _wanted(vectors)
    places = start * (1e-2 / max(float(start.std()), 1e-12))
    speed, gain = np.zeros_like(places), np.ones_like(places)
    rate = max(len(vectors) / EXAGGERATION, 50.0)
    for step in range(STEPS):
        check(stop)
        progress(Progress(STAGE, step, STEPS))
        early = step < EXAGGERATED
        pull = _gradient(places, wanted * EXAGGERATION if early else wanted)
        turned = np.sign(pull) != np.sign(speed)
        gain = np.where(turned, gain + 0.2, np.maximum(gain * 0.8, 0.01))
        speed = (0.5 if early else 0.8) * speed - rate * gain * pull
        places = places + speed
    progress(Progress(STAGE, STEPS, STEPS))
    return places


def _principal(vectors: Floats) -> Floats:
    """The first two principal components, each with its largest entry positive."""
    centred = vectors - vectors.mean(axis=0)
    directions = np.linalg.eigh(centred.T @ centred)[1][:, ::-1][:, :2]
    places = np.zeros((len(vectors), 2))
    places[:, : directions.shape[1]] = centred @ directions
    top = np.abs(places).argmax(axis=0)
    signs = np.sign(places[top, [0, 1]])
    return np.asarray(places * np.where(signs == 0, 1.0, signs))


def _wanted(vectors: Matrix) -> Floats:
    """The joint probabilities of t-SNE: symmetric, sum 1."""
    apart = np.maximum(2.0 - 2.0 * (vectors @ vectors.T).astype(np.float64), 0.0)
    np.fill_diagonal(apart, np.inf)
    target = np.log(min(PERPLEXITY, (len(vectors) - 1) / 3))
    low, high = np.full(len(apart), 1e-3), np.full(len(apart), 1e6)
    share = np.zeros_like(apart)
    for _ in range(40):
        middle = np.sqrt(low * high)
        share = np.exp(-(apart - apart.min(axis=1, keepdims=True)) * middle[:, None])
        share /= share.sum(axis=1, keepdims=True)
        entropy = -(share * np.log(np.maximum(share, 1e-300))).sum(axis=1)
        wide = entropy > target
        low, high = np.where(wide, middle, low), np.where(wide, high, middle)
    return np.asarray((share + share.T) / (2 * len(share)))


def _gradient(places: Floats, wanted: Floats) -> Floats:
    squares = (places**2).sum(axis=1)
    close = 1 / (1 + np.maximum(squares[:, None] + squares - 2 * places @ places.T, 0.0))
    np.fill_diagonal(close, 0.0)
    force = (wanted - close / close.sum()) * close
    return np.asarray(4 * (force.sum(axis=1)[:, None] * places - force @ places))


def _among(vectors: Matrix, marks: Matrix, places: Floats, stop: Stop) -> Floats:
    """The weighted mean of each row's nearest landmarks."""
    found = np.empty((len(vectors), 2))
    for start in range(0, len(vectors), AT_ONCE):
        check(stop)
        cosine = vectors[start : start + AT_ONCE] @ marks.T
        best = np.argpartition(-cosine, NEAREST, axis=1)[:, :NEAREST]
        value = np.take_along_axis(cosine, best, axis=1).astype(np.float64)
        weight = np.exp(SHARPNESS * (value - value.max(axis=1, keepdims=True)))
        weight /= weight.sum(axis=1, keepdims=True)
        found[start : start + AT_ONCE] = np.einsum("nk,nkd->nd", weight, places[best])
    return found
