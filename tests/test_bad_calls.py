"""Bad calls and the exception that each of them gets; … stands for any text."""

import re
from pathlib import Path

import numpy as np
import pytest

import arcwise
from arcwise import BayesianNetwork, Dag, DataError, Dataset, GraphError, LocalScore, ParameterError

GIVEN = {name: getattr(arcwise, name) for name in dir(arcwise) if not name.startswith("_")}
GIVEN["np"] = np
GIVEN["data"] = Dataset.from_codes([[0, 0], [1, 1], [0, 1]] * 5, names=["a", "b"])
GIVEN["score"] = LocalScore(GIVEN["data"])
GIVEN["FRAME"] = GIVEN["data"].to_frame()
with arcwise.ShardedDataset.of(GIVEN["FRAME"].lazy()) as CLOSED:
    GIVEN["CLOSED"] = CLOSED
GIVEN["coin"] = BayesianNetwork(Dag(["a"]), [["h", "t"]], [[0.5, 0.5]])

CALLS: list[tuple[str, type[Exception], str]] = [
    # Data.
    ("learn(None)", DataError, "The data is None; give a file name, a frame, an array or a dict of columns."),
    ("learn([1, 2])", DataError, "The array has 1 dimension; it must have two, rows by variables."),
    ("learn(coin)", DataError, "The data is of type BayesianNetwork, which cannot be read as a frame; …"),
    ("learn('none.csv')", FileNotFoundError, "There is no file 'none.csv' (looked in …"),
    ("Dataset.of({})", DataError, "The data has no columns; give at least one."),
    ("Dataset.from_codes([[-1]])", DataError, "Column 0, row 0 (both count from 0) holds the code -1; …"),
    ("Dataset.from_codes(np.array([[0.5]]))", DataError, "codes has type float64; codes are integers. …"),
    (
        "Dataset.from_codes([[0, 1]], names=['a', 'a'])",
        DataError,
        "the name 'a' stands for more than one column (0 and 1, counted from 0); …",
    ),
    ("learn([FRAME, FRAME])", DataError, "The data is 2 frames in a list; put the rows into one frame."),
    (
        "ShardedDataset.of(FRAME)",
        ParameterError,
        "data must be paths of files, …, not DataFrame; a table that is in memory goes to Dataset.of",
    ),
    ("ShardedDataset.of([FRAME, FRAME])", ParameterError, "data must be paths of files, …, not DataFrame; …"),
    ("learn(CLOSED)", ParameterError, "this table in shards has been closed, …; use it before that"),
    # What goes into files.
    ("write_run(5, 'run.json')", ParameterError, "result must be a Result or a Run, not int"),
    ("Run.of(5)", ParameterError, "result must be a Result, not int"),
    ("write_tree_mixture(5, 'trees.npz')", ParameterError, "mixture must be a TreeMixture, not int"),
    ("write_parent_sets(5, 'sets.jkl')", ParameterError, "table must be a ParentSets, not 5"),
    ("write_parent_sets(select(score), 'sets.jkl')", ParameterError, "table must be a ParentSets, …; give its .sets"),
    ("write_report(5, 'run.html')", ParameterError, "found must be a Result or a Run, not int"),
    ("write_report(5, 'run.txt')", ParameterError, "path must be a name that ends in .html or .htm, not 'run.txt'"),
    # What searches take.
    ("search_orders(select(score))", ParameterError, "table must be a ParentSets, …; give its .sets"),
    ("exact(select(score))", ParameterError, "source must be a LocalScore or a ParentSets, …; give its .sets"),
    ("Problem(data)", ParameterError, "source must be …; make a score of data with LocalScore(data)"),
    ("exact(data)", ParameterError, "source must be …; make a score of data with LocalScore(data)"),
    ("ges(data)", ParameterError, "score must be …; make a score of data with LocalScore(data)"),
    ("mmpc(data)", ParameterError, "score must be …; make a score of data with LocalScore(data)"),
    (
        "learn(data, climbs=3)",
        ParameterError,
        "exact, which auto has picked here, has no option 'climbs'; name a method that has it, such as …='greedy'",
    ),
    ("bootstrap(data, time_limit=3)", ParameterError, "there is no parameter …; give budget=Budget(time_limit=…)"),
    ("data.index('aa')", DataError, "There is no variable 'aa'; there are 'a', 'b'."),
    # Options of learn and bootstrap.
    ("learn(data, method=max)", ParameterError, "method must be one of …, not <built-in function max>"),
    ("learn(data, method=['greedy'])", ParameterError, "method must be one of …, not ['greedy']"),
    (
        "learn(data, method='greedy', climb=3)",
        ParameterError,
        "greedy has no option 'climb'; …; did you mean 'climbs'?",
    ),
    ("learn(data, score='bicc')", ParameterError, "score must be one of …, not 'bicc'; did you mean 'bic'?"),
    (
        "learn(data, score=AIC)",
        ParameterError,
        "score must be one of … or an object such as BDeu(ess=10), not <class …",
    ),
    ("learn(data, seed=1.5)", ParameterError, "seed must be a whole number of at least 0 or None, not 1.5"),
    ("learn(data, time_limit='1')", ParameterError, "time_limit must be at least 0 seconds or None, not '1'"),
    ("learn(data, evaluation_limit=1.5)", ParameterError, "evaluation_limit must be an integer, not 1.5"),
    ("learn(data, clean_up='no')", ParameterError, "clean_up must be True or False, not 'no'"),
    ("learn(data, watch=3)", ParameterError, "watch must be a function or None, not 3"),
    ("learn(data, on_improvement=3)", ParameterError, "on_improvement must be a function or None, not 3"),
    ("learn(data, constraints={})", ParameterError, "constraints must be a Constraints, not {}"),
    ("learn(data, start=[('a', 'b')])", ParameterError, "start must be a Dag, not [('a', 'b')]"),
    ("bootstrap(data, max)", ParameterError, "method must be a search that takes a LocalScore and …; max does not"),
    ("bootstrap(data, 'gredy')", ParameterError, "method must be one of …, not 'gredy'; did you mean 'greedy'?"),
    ("bootstrap(data, m=0)", ParameterError, "m must be at least 1, not 0"),
    ("bootstrap(data, on_replica=3)", ParameterError, "on_replica must be a function or None, not 3"),
    # Scores and searches.
    ("BDeu(0)", ParameterError, "ess of bdeu must be a finite number above 0, not 0"),
    ("Budget(-1)", ParameterError, "time_limit must be at least 0 seconds or None, not -1"),
    (
        "LocalScore(coin)",
        DataError,
        "The data is of type BayesianNetwork, which cannot be read as a frame; give a …",
    ),
    ("score.local('aa', [])", ParameterError, "there is no variable 'aa'; did you mean 'a'?"),
    ("score.local('a', 'b')", ParameterError, "parents must be a list of variables, not 'b'; write ['b']"),
    ("score.total(coin)", ParameterError, "dag must be a Dag, not <BayesianNetwork…"),
    (
        "score.total(Dag(['a']))",
        ParameterError,
        "the graph and the data must have the same nodes; only in the data: 'b'",
    ),
    ("greedy(data)", ParameterError, "score must be a LocalScore, not Dataset(…"),
    ("exact(data)", ParameterError, "source must be a LocalScore or a ParentSets, not Dataset(…"),
    ("search_orders(data)", ParameterError, "table must be a ParentSets, not Dataset(…"),
    ("score_filter(3)", ParameterError, "score must be a LocalScore, not 3"),
    ("certified(3, score, seconds=1)", ParameterError, "result must be a Result, not 3"),
    ("select(score, method='exhaustiv')", ParameterError, "method must be one of …; did you mean 'exhaustive'?"),
    ("Memetic(crossover='cxx')", ParameterError, "crossover must be one of cx, rx, ob, not 'cxx'; did you mean 'cx'?"),
    ("OrderClimb('inserted')", ParameterError, "moves must be one of …; did you mean 'insert'?"),
    ("ParentSets.from_lists(['a'], 3)", ParameterError, "lists must be a list with the sets of each variable, not 3"),
    # Graphs and networks.
    ("Dag(['a', 'b'], [('a', 'b'), ('b', 'a')])", GraphError, "the arcs form a cycle: 'a' -> 'b' -> 'a'; …"),
    ("Dag(['a', 'b'], [('a', 'c')])", GraphError, "there is no node 'c'; the nodes are 'a', 'b'"),
    ("Dag('ab')", GraphError, "names must be several strings, not the one string 'ab'; write ['ab']"),
    ("compare(coin, coin.dag)", GraphError, "truth must be a Dag or a Cpdag, not BayesianNetwork"),
    ("BayesianNetwork(Dag(['a']), [['h', 't']], [[0.5, 0.6]])", ParameterError, "the table of 'a' must hold … 0.6]"),
    ("BayesianNetwork(Dag(['a']), [['h', 't']], [[1]])", ParameterError, "the table of 'a' must have the shape (2,) …"),
    ("Table([0.5, 0.6])", ParameterError, "a table must hold probabilities that sum to 1 within 0.001, not [0.5, 0.6]"),
    ("ConditionalGaussian(0, [], -1)", ParameterError, "deviations must have finite numbers above 0, not -1.0"),
    ("coin.predict_interval(data, 'a')", ParameterError, "'a' has states; predict_proba has their probabilities"),
    (
        "BayesianNetwork.fit(coin.dag, coin)",
        DataError,
        "The data is of type BayesianNetwork, which cannot be read as a frame; …",
    ),
    ("coin.query('b')", GraphError, "there is no node 'b'; the nodes are 'a'"),
    ("coin.query('a', {'a': 'h'})", ParameterError, "'a' is asked for and given; leave it out of one of the two"),
    ("coin.query(None, {'a': 'H'})", ParameterError, "'a' has no state 'H'; did you mean 'h'?"),
    ("coin.do({'a': 3})", ParameterError, "'a' has no state 3; its states are 'h', 't'"),
    ("coin.impute(3)", ParameterError, "what is given must be a dict from nodes to what is known …, not 3"),
    ("coin.predict(None, 'b')", GraphError, "there is no node 'b'; the nodes are 'a'"),
    ("TreeMixture.of(coin)", ParameterError, "networks must be a list of one or more …; write [network]"),
    ("coin.sample(-1)", ParameterError, "n_rows must be at least 1, not -1"),
    ("coin.log_likelihood(data)", DataError, "the columns 'b' are not nodes of the graph; leave them out …"),
    ("write_network(coin.dag, 'x.bif')", ParameterError, "network must be a BayesianNetwork, not Dag; …"),
    ("write_network(coin, 'x.biff')", ParameterError, "…'x.biff'….bif, …"),
    ("load_example('alarn')", ParameterError, "there is no example 'alarn'; …; did you mean 'alarm'?"),
    ("load_example([])", ParameterError, "there is no example []; the examples are asia, …"),
    # Constraints.
    ("Constraints(required='a->b')", ParameterError, "required must be a list of pairs (parent, child), not 'a->b'"),
    ("Constraints(tiers=['a', 'b'])", ParameterError, "a tier must be a list of variable names, not 'a'"),
    ("Constraints(max_parents=-1)", ParameterError, "max_parents must be at least 0, not -1"),
    ("read_constraints('x.csv', kind='red')", ParameterError, "kind must be one of …, not 'red'"),
    ("read_constraints('x.toml')", FileNotFoundError, "…No such file or directory: 'x.toml'"),
]


@pytest.mark.parametrize(("call", "kind", "message"), CALLS, ids=[call for call, _, _ in CALLS])
def test_call_says_what_is_wrong(in_empty_folder: Path, call: str, kind: type[Exception], message: str) -> None:
    with pytest.raises(kind) as caught:
        eval(call, GIVEN)
    assert re.fullmatch(re.escape(message).replace("…", ".*"), str(caught.value)), str(caught.value)
    assert not list(in_empty_folder.iterdir())
