"""Gene expression simulated from a random regulatory network with cycles."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from arcwise.data.dataset import Dataset
from arcwise.data.discretise import Method
from arcwise.simulation.regulation import Floats, RegulatoryNetwork, random_regulation
from arcwise.support.arguments import count, either_spelling, number, recorded_seed
from arcwise.support.errors import ParameterError
from arcwise.support.names import one_of

__all__ = ["VARIATIONS", "GeneExperiment", "simulate_genes"]

# Genes on a chromosome, and how often a line's alleles at neighbouring genes come from different parents.
_CHROMOSOME = 50
_SWITCHES = 0.05
# The most that one parent's allele is transcribed faster than the other's.
_MOST_FOLD = 3.0
# Which part of the genes is knocked down in a sample, and the part of the transcription that remains.
_KNOCKED_DOWN = 0.1
_REMAINS = (0.1, 0.5)


@dataclass(frozen=True, eq=False)
class GeneExperiment:
    """Simulated expression of genes, and the network behind it.

    Attributes
    ----------
    expression
        What was measured: samples by genes.
    names
        The genes.
    arcs
        Pairs (regulator, target), by target; they form cycles, so that no `Dag` holds them.
    levels
        Steady states before measurement noise: samples by genes.
    factors
        What multiplied each gene's transcription rate: samples by genes.
    network
        The differential equations.
    seed
        The seed that was used.
    """

    expression: Floats
    names: tuple[str, ...]
    arcs: tuple[tuple[str, str], ...]
    levels: Floats
    factors: Floats
    network: RegulatoryNetwork
    seed: int

    @either_spelling
    def data(self, discretise: Method = "adaptive") -> Dataset:
        """Expression as states, each gene cut by itself.

        Parameters
        ----------
        discretise
            How to choose the cuts; by default `Adaptive`: as many states as a gene's expression shows groups, 2 to 4.

        Examples
        --------
        >>> simulate_genes(5, 200, seed=1).data().n_variables
        5
        """
        return Dataset.from_array(self.expression, names=self.names, discretise=discretise)

    def __repr__(self) -> str:
        n_samples, n_genes = self.expression.shape
        return f"<GeneExperiment: {n_samples} samples, {n_genes} genes, {len(self.arcs)} arcs>"


def simulate_genes(
    n_genes: int = 1000,
    n_samples: int = 999,
    *,
    arcs_per_gene: float = 2.0,
    variation: str = "genetic",
    noise: float = 0.1,
    seed: int | None = None,
) -> GeneExperiment:
    """Expression of genes that regulate one another, in samples that differ genetically or by knock-downs.

    A scenario for the experiments of Vandel, Mangin and de Givry (2012), section 4.3, whose data (DREAM5 Systems
    Genetics, made with SysGenSIM) cannot be handed on. Each sample is the steady state of the differential equations of
    a `RegulatoryNetwork` (see `random_regulation` for how it is drawn), measured with noise.

    Parameters
    ----------
    n_genes
        Genes, named G0, G1, …
    n_samples
        Samples.
    arcs_per_gene
        Mean number of regulators of a gene.
    variation
        How samples differ. ``genetic``: they are recombinant inbred lines of two parents, whose alleles of a gene are
        transcribed at rates that differ by a factor of 1 to 3; genes lie on chromosomes of 50, and neighbours mostly
        come from the same parent, so that unregulated genes can be correlated too. ``knockdown``: in each sample a
        random tenth of the genes (at least one) keeps only 10 to 50 % of its transcription rate.
    noise
        Standard deviation of the logarithm of what measurement multiplies each level with.
    seed
        Same seed, same experiment; None draws one. The network is the same for any number of samples, variation and
        noise.

    Raises
    ------
    ParameterError
        For arguments out of range, and if the network oscillates instead of coming to rest (no case is known).

    Examples
    --------
    >>> experiment = simulate_genes(20, 100, seed=1)
    >>> experiment
    <GeneExperiment: 100 samples, 20 genes, 40 arcs>
    >>> experiment.expression.shape
    (100, 20)
    """
    n_genes, n_samples = count("n_genes", n_genes, least=2), count("n_samples", n_samples, least=1)
    n_arcs = round(number("arcs_per_gene", arcs_per_gene) * n_genes)
    if n_arcs > n_genes * (n_genes - 1):
        raise ParameterError.of("arcs_per_gene", f"at most {n_genes - 1} with {n_genes} genes", arcs_per_gene)
    one_of("variation", variation, VARIATIONS)
    noise = number("noise", noise)
    seed = recorded_seed(seed)
    streams = [np.random.default_rng(stream) for stream in np.random.SeedSequence(seed).spawn(3)]
    network = random_regulation(n_genes, n_arcs, rng=streams[0])
    factors = VARIATIONS[variation](n_samples, n_genes, streams[1])
    levels = network.steady_states(factors)
    expression = levels * np.exp(noise * streams[2].standard_normal(levels.shape))
    for array in (factors, levels, expression):
        array.flags.writeable = False
    names = tuple(f"G{gene}" for gene in range(n_genes))
    arcs = zip(network.regulators.tolist(), network.targets.tolist(), strict=True)
    return GeneExperiment(
        expression=expression,
        names=names,
        arcs=tuple((names[regulator], names[target]) for regulator, target in arcs),
        levels=levels,
        factors=factors,
        network=network,
        seed=seed,
    )


def _of_inbred_lines(n_samples: int, n_genes: int, rng: np.random.Generator) -> Floats:
    """Factors of the transcription rates in recombinant inbred lines: for each gene one of two, 1 on (log) average."""
    folds = np.exp(rng.uniform(0, np.log(_MOST_FOLD), n_genes))
    switches = rng.random((n_samples, n_genes)) < _SWITCHES
    starts = np.arange(0, n_genes, _CHROMOSOME)
    switches[:, starts] = rng.random((n_samples, starts.size)) < 0.5
    # A chromosome's first parent is drawn by the toss of a coin; sums from the left end of all are as good as its own.
    alleles = np.cumsum(switches, axis=1) % 2
    return np.asarray(folds ** (alleles - 0.5))


def _of_knock_downs(n_samples: int, n_genes: int, rng: np.random.Generator) -> Floats:
    """Factors of the transcription rates where each sample has some genes knocked down."""
    n_chosen = max(1, round(_KNOCKED_DOWN * n_genes))
    chosen = np.argsort(rng.random((n_samples, n_genes)), axis=1)[:, :n_chosen]
    factors = np.ones((n_samples, n_genes))
    np.put_along_axis(factors, chosen, rng.uniform(*_REMAINS, chosen.shape), axis=1)
    return factors


VARIATIONS: Mapping[str, Callable[[int, int, np.random.Generator], Floats]] = {
    "genetic": _of_inbred_lines,
    "knockdown": _of_knock_downs,
}
"""How samples can differ."""
