"""Networks from files: what is read, and what is refused in one line."""

from itertools import pairwise

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metricsengine.errors import ConfigError
from metricsengine_dynamics.networks.config import FileConf
from metricsengine_dynamics.networks.files import read_network
from metricsengine_dynamics.networks.specs import NETWORKS


@pytest.fixture
def written(tmp_path):
    """Writes files, and reads the network of the options that name them."""

    def write(files, **options):
        for name, text in files.items():
            (tmp_path / name).write_bytes(text if isinstance(text, bytes) else text.encode())
        names = {key: str(tmp_path / value) for key, value in options.items() if key in ("path", "nodes")}
        return read_network(FileConf(**{**options, **names}))

    return write


def test_a_table_of_edges(written, tmp_path):
    network = written({"club.csv": "source,target\nAnn,Bo\n\n Bo , Cleo\nCleo,Ann\nAnn,Bo\n"}, path="club.csv")
    graph = network.draw(3, np.random.default_rng(0))
    assert graph.names == ("Ann", "Bo", "Cleo")
    assert graph.edges.tolist() == [[0, 1], [0, 2], [1, 2]]
    assert graph.weights is None
    assert graph.opinions is None
    assert network.size == 3
    assert network.labels == {"network": "club"}
    assert network.sources == {"network.path": tmp_path / "club.csv"}


def test_columns_may_stand_in_any_order_beside_others_and_edges_may_have_weights(written):
    text = "since\tweight\ttarget\tsource\n1999\t0.5\tb\ta\n2001\t2\ta\ta\n"
    graph = written({"e.tsv": text}, path="e.tsv").graph
    assert graph.adjacency.toarray().tolist() == [[2, 0.5], [0.5, 0]]


def test_a_table_of_agents_brings_their_order_opinions_attributes_and_those_who_know_nobody(written, tmp_path):
    network = written(
        {
            "e.csv": "source,target\nCleo,Ann\n",
            "n.csv": "age,name,opinion\n20,Ann,-1\n,Bo,0.25\n40,Cleo,1\n",
        },
        path="e.csv",
        nodes="n.csv",
    )
    graph = network.graph
    assert graph.names == ("Ann", "Bo", "Cleo")
    assert graph.edges.tolist() == [[0, 2]]
    assert graph.opinions.tolist() == [-1, 0.25, 1]
    assert graph.attributes == {"age": ("20", "", "40")}
    assert network.sources["network.nodes"] == tmp_path / "n.csv"


def test_opinions_may_stand_under_another_name(written):
    files = {"e.csv": "source,target\na,b\n", "n.csv": "name,opinion,stance\na,left,-0.5\nb,right,0.5\n"}
    graph = written(files, path="e.csv", nodes="n.csv", opinion="stance").graph
    assert graph.opinions.tolist() == [-0.5, 0.5]
    assert graph.attributes == {"opinion": ("left", "right")}


def test_agents_without_edges_are_a_network(written):
    graph = written({"e.csv": "source,target\n", "n.csv": "name\na\nb\nc\n"}, path="e.csv", nodes="n.csv").graph
    assert graph.n == 3
    assert graph.adjacency.nnz == 0


@settings(max_examples=60, deadline=None)
@given(
    names=st.lists(
        st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1, max_size=8)
        .map(str.strip)
        .filter(bool),
        min_size=2,
        max_size=5,
        unique=True,
    )
)
def test_agents_may_be_called_anything(names, tmp_path_factory):
    def quoted(name):
        return '"' + name.replace('"', '""') + '"'

    path = tmp_path_factory.mktemp("names") / "e.csv"
    rows = [f"{quoted(one)},{quoted(other)}" for one, other in pairwise(names)]
    path.write_bytes("\n".join(["source,target", *rows]).encode())
    assert read_network(FileConf(path=str(path))).graph.names == tuple(names)


def test_graphml_as_networkx_writes_it(written, tmp_path):
    drawn = nx.Graph()
    drawn.add_node("Ann", opinion=-0.5, age=20, member=True)
    drawn.add_node("Bo & <Co>", opinion=1.0, age=30)
    drawn.add_node("Cleo", opinion=0)
    drawn.add_edge("Ann", "Bo & <Co>", weight=2.5)
    drawn.add_edge("Cleo", "Cleo", weight=1)
    nx.write_graphml(drawn, tmp_path / "club.graphml")
    graph = written({}, path="club.graphml").graph
    assert graph.names == ("Ann", "Bo & <Co>", "Cleo")
    assert graph.opinions.tolist() == [-0.5, 1, 0]
    assert graph.attributes == {"age": ("20", "30", ""), "member": ("True", "", "")}
    assert graph.adjacency.toarray().tolist() == [[0, 2.5, 0], [2.5, 0, 0], [0, 0, 1]]


GRAPHML = """<?xml version="1.0" encoding="UTF-8"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
<key id="o" for="node" attr.name="opinion" attr.type="double"><default>0.5</default></key>
<key id="w" for="edge" attr.name="weight" attr.type="double"/>
<graph edgedefault="{direction}">
<node id="a"><data key="o">{opinion}</data></node><node id="b"/>
<edge source="a" target="b"><data key="w">{weight}</data></edge>
{more}</graph></graphml>"""


def graphml(direction="undirected", opinion="-1", weight="2", more=""):
    return GRAPHML.format(direction=direction, opinion=opinion, weight=weight, more=more)


def test_graphml_defaults_hold_where_an_agent_says_nothing(written):
    assert written({"g.graphml": graphml()}, path="g.graphml").graph.opinions.tolist() == [-1, 0.5]


def test_directed_graphml_is_undirected_where_that_is_wanted(written):
    back = '<edge source="b" target="a"><data key="w">2</data></edge>'
    files = {"g.graphml": graphml("directed", more=back)}
    graph = written(files, path="g.graphml", undirected=True).graph
    assert graph.adjacency.toarray().tolist() == [[0, 2], [2, 0]]
    with pytest.raises(ConfigError, match=r"g\.graphml: its edges have a direction; set network\.undirected=true"):
        written(files, path="g.graphml")


def test_another_number_of_agents_is_refused(written):
    network = written({"club.csv": "source,target\na,b\n"}, path="club.csv")
    with pytest.raises(ConfigError, match=r"study\.n_agents must be 0 or 2, the agents of network=club, got 20"):
        network.draw(20, np.random.default_rng(0))


EDGES = "source,target\na,b\n"


@pytest.mark.parametrize(
    ("files", "options", "message"),
    [
        ({}, {}, r"network=file needs network\.path=FILE"),
        ({}, {"path": "none.csv"}, r"network\.path=.*none\.csv: no such file"),
        ({"e.csv": EDGES}, {"path": "e.csv", "nodes": "none.csv"}, r"network\.nodes=.*none\.csv: no such file"),
        ({"e.txt": EDGES}, {"path": "e.txt"}, r"e\.txt: cannot read \.txt; give \.csv, \.tsv, \.graphml, \.xml"),
        ({"e.csv": ""}, {"path": "e.csv"}, r"e\.csv: its header line must name source and target.* nothing"),
        ({"e.csv": "source,target\n"}, {"path": "e.csv"}, r"e\.csv: holds no agents"),
        ({"e.csv": "a,b\nb,c\n"}, {"path": "e.csv"}, r"must name source and target, but source is not among a, b"),
        ({"e.csv": "source,target,source\n"}, {"path": "e.csv"}, r"two columns are called 'source'; rename one"),
        ({"e.csv": EDGES + "c\n"}, {"path": "e.csv"}, r"e\.csv, line 3: 1 cell under a header line of 2"),
        ({"e.csv": EDGES + ",c\n"}, {"path": "e.csv"}, r"e\.csv, line 3: source is empty"),
        ({"e.csv": EDGES + '"c"d,a\n'}, {"path": "e.csv"}, r"e\.csv: .*give UTF-8 text"),
        ({"e.csv": b"source,target\n\xff,b\n"}, {"path": "e.csv"}, r"e\.csv: .*give UTF-8 text"),
        (
            {"e.csv": "source,target,weight\na,b,1\n\nb,c,0\n"},
            {"path": "e.csv"},
            r"e\.csv, line 4: weight must be a number > 0, got 0",
        ),
        ({"e.csv": "source,target,weight\na,b,\n"}, {"path": "e.csv"}, r"line 2: weight must be .*, got none"),
        ({"e.csv": "source,target,weight\na,b,inf\n"}, {"path": "e.csv"}, r"line 2: weight must be .*, got inf"),
        (
            {"e.csv": "source,target,weight\na,b,1\nb,a,2\n"},
            {"path": "e.csv"},
            r"line 3: the edge was given before with weight 1, here with 2; keep one",
        ),
        (
            {"e.csv": EDGES, "n.csv": "name\na\nB\n"},
            {"path": "e.csv", "nodes": "n.csv"},
            r"e\.csv, line 2: 'b' is no agent of .*n\.csv; add it there",
        ),
        (
            {"e.csv": EDGES, "n.csv": "name\na\nb\na\n"},
            {"path": "e.csv", "nodes": "n.csv"},
            r"n\.csv, line 4: the agent 'a' is there already, line 2; names must differ",
        ),
        ({"e.csv": EDGES, "n.csv": "id\na\n"}, {"path": "e.csv", "nodes": "n.csv"}, r"must name name, but name is not"),
        (
            {"e.csv": EDGES, "n.csv": "name,opinion\na,1.5\nb,0\n"},
            {"path": "e.csv", "nodes": "n.csv"},
            r"n\.csv: opinion of 'a' must be a number in \[-1, 1\], got 1\.5",
        ),
        (
            {"e.csv": EDGES, "n.csv": "name,opinion\na,0\nb,\n"},
            {"path": "e.csv", "nodes": "n.csv"},
            r"opinion of 'b' must be a number in \[-1, 1\], got none",
        ),
        (
            {"e.csv": EDGES, "n.csv": "name,opinion\na,nan\nb,0\n"},
            {"path": "e.csv", "nodes": "n.csv"},
            r"opinion of 'a' must be",
        ),
        (
            {"e.csv": EDGES},
            {"path": "e.csv", "opinion": "stance"},
            r"network\.opinion=stance: .* no such one, but none",
        ),
        ({"g.graphml": "<graphml"}, {"path": "g.graphml"}, r"g\.graphml: cannot be read as GraphML \("),
        ({"g.graphml": "<a/>"}, {"path": "g.graphml"}, r"g\.graphml: cannot be read as GraphML \("),
        ({"g.graphml": graphml(opinion="left")}, {"path": "g.graphml"}, r"cannot be read as GraphML \(.*left"),
        ({"g.graphml": graphml(opinion="-2")}, {"path": "g.graphml"}, r"opinion of 'a' must be .*, got -2"),
        ({"g.graphml": graphml(weight="-2")}, {"path": "g.graphml"}, r"edge 'a' to 'b': weight must be .*, got -2"),
        (
            {"g.graphml": graphml(more='<edge source="b" target="b"/>')},
            {"path": "g.graphml"},
            r"edge 'b' to 'b': weight must be a number > 0, got none",
        ),
        ({"e.csv": EDGES + "c\0,a\n"}, {"path": "e.csv"}, r"e\.csv: line 3 holds a NUL character; give UTF-8 text"),
        ({"e.csv": "source,target,weight\na,b,1_0\n"}, {"path": "e.csv"}, r"line 2: weight must be .*, got 1_0"),
        (
            {"g.graphml": '<?xml version="1.0" encoding="klingon"?><graphml/>'},
            {"path": "g.graphml"},
            r"g\.graphml: cannot be read as GraphML \(.*klingon",
        ),
        (
            {"g.graphml": graphml().replace("</graph>", "</graph><graph><node id='z'/></graph>")},
            {"path": "g.graphml"},
            r"g\.graphml: holds 2 graphs; leave one of them in the file",
        ),
        (
            {"g.graphml": graphml().replace("</graph>", "<node/></graph>")},
            {"path": "g.graphml"},
            r"g\.graphml: the 3\. node has no id; give it one",
        ),
        (
            {"g.graphml": graphml(), "n.csv": "name\na\n"},
            {"path": "g.graphml", "nodes": "n.csv"},
            r"network\.nodes=.*n\.csv: GraphML holds its agents itself",
        ),
    ],
)
def test_broken_files_are_refused_in_one_line(written, files, options, message):
    with pytest.raises(ConfigError, match=message) as caught:
        written(files, **options)
    assert "\n" not in str(caught.value)


def test_the_option_is_registered(tmp_path):
    (tmp_path / "pair.csv").write_text(EDGES)
    [spec] = [spec for spec in NETWORKS if spec.name == "file"]
    assert spec.build(spec.config(path=str(tmp_path / "pair.csv"))).size == 2
