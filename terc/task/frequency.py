"""How sure a frequency is: over agents by counting, over the halves of one recording by a normal model.

Let the evidence for a variable in a recording of n episodes be normal about its true value with variance
v / n, and a half keep it when its evidence passes some threshold. Given the recording, the halves' evidence
scatters about the recording's own, which is off by the luck of the recording: with z the probit of the true
frequency in recordings of half the length, the probit of the frequency among halves is sqrt(2) z plus a
standard normal error. So z is known to within 1 / sqrt(2) at best, however many halves are drawn; the luck of
drawing them adds to that.
"""

import math

ALPHA = 0.05


def of_recordings(times: int, count: int) -> tuple[float, float]:
    """The 95 % interval of a frequency, `times` of `count` independent agents (Clopper and Pearson).

    Example:
        >>> [round(end, 2) for end in of_recordings(5, 5)]
        [0.48, 1.0]
    """
    from scipy.stats import binomtest

    low, high = binomtest(times, count).proportion_ci(1 - ALPHA, method="exact")
    return float(low), float(high)


def of_halves(times: int, count: int) -> tuple[float, float]:
    """The 95 % interval of how often a recording of half the length keeps a variable.

    Example:
        >>> [round(end, 2) for end in of_halves(10, 20)]
        [0.08, 0.92]
        >>> round(of_halves(20, 20)[0], 2), of_halves(20, 20)[1]  # no half says that it may be left out
        (0.41, 1.0)
    """
    from scipy.special import ndtr, ndtri

    share = (times + 0.5) / (count + 1)
    probit = float(ndtri(share))
    density = math.exp(-(probit**2) / 2) / math.sqrt(2 * math.pi)
    drawn = share * (1 - share) / count / density**2
    error = float(ndtri(1 - ALPHA / 2)) * math.sqrt(0.5 * (1 + drawn))
    middle = probit / math.sqrt(2)
    low, high = float(ndtr(middle - error)), float(ndtr(middle + error))
    return 0.0 if times == 0 else low, 1.0 if times == count else high
