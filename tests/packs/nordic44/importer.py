"""Turns the published question set into case files and a world file; this is all the Python that the pack has.

``python importer.py DATA OUT`` reads what statnett/Talk2PowerSystem published: ``eval_results.json``, what a model
asked and got, and ``CQAGC-Candidates-10_Answers--1.json``, the questions with their bindings and gold. It writes
``cases.jsonl``, one case per question, and ``world.json``, to be loaded beside the grid model: questions, gold, and the
namespace map that holds between them. What a model answered and what the gold says never meet here: they come from two
files and go to two files.
"""

import argparse
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

BASE: Final = "http://www.Statnett.no/IGM/Nordic44_CGM"
ASKED_IN: Final = "http://iec.ch/TC57/2013/CIM-schema-cim16#"
"""The namespace of all queries: CIM16."""
GRAPH_IN: Final = "http://iec.ch/TC57/CIM100#"
"""The namespace of the grid model: CIM100. The terms and ids that the queries use kept their local names."""
NEIGHBOURS: Final = "list_all_substations_that_are_connected_via_an_ac_line_or_a_dc_line_to_substation_named_SUBSTATION"
BETWEEN: Final = "list_all_ac_lines_that_traverse_bidding_zones_REGION1_and_REGION2"
GOLD_COLUMN: Final[Mapping[str, str]] = {
    "list_all_transformers_within_Substation_SUBSTATION": "transformer",
    "list_all_substations_within_bidding_zone_REGION": "substation",
    NEIGHBOURS: "substation2",
    BETWEEN: "line",
    "give_me_measurements_in_congestion_zone_ZONE": "measurement",
}
"""Template → the column of its gold that answers the question as it is worded."""
DISPUTED: Final = frozenset({NEIGHBOURS, BETWEEN})
"""Their gold rests on a rule of the publisher's that lists lines which don't touch the substation (OSLO: 15 rows, where
the terminals of the model give 2), and has columns that the question does not ask for."""
Json = dict[str, Any]


def cases(results: Sequence[Json], model: str) -> Iterator[Json]:
    """Return one case for each recorded run: the question, the query that ran, and what it returned."""
    for run in results:
        names = [name.removeprefix("?") for name, _ in run["output_llm"]]
        columns = [values for _, values in run["output_llm"]]
        yield {
            "case_id": run["question_id"],
            "contract": "nordic44",
            "input": {"text": run["question"], "lang": "en"},
            "decision": {
                "question_id": run["question_id"],
                "question": run["question"],
                "query": run["query_llm"],
                "namespace": {"from": ASKED_IN, "to": GRAPH_IN},
                "base": BASE,
                "answer_variable": names[0],
                "rows": [dict(zip(names, row, strict=True)) for row in zip(*columns, strict=True)],
                "answers": list(dict.fromkeys(columns[0])),
            },
            "trace": [
                {"id": run["call_id"], "type": "tool_call", "tool": "sparql", "arguments": {"query": run["query_llm"]}}
            ],
            "model": {"name": model},
            "budget": {"tokens": run["tokens"]["total"]},
        }


def world(templates: Sequence[Json]) -> Json:
    """Return the tables that stand beside the grid model: the questions with their gold, and the namespace map."""
    return {
        "kind": "kg",
        "namespaces": [{"from": ASKED_IN, "to": GRAPH_IN}],
        "questions": [_question(template["id"], asked) for template in templates for asked in template["qaSet"]],
    }


def _question(template: str, asked: Json) -> Json:
    column = GOLD_COLUMN[template]
    return {
        "id": asked["question_id"],
        "text": asked["question"],
        "lang": "en",
        "template": f"n44:{template}",
        "about": [bound["value"] for bound in asked["paramBindings"].values()],
        "disputed": template in DISPUTED,
        "gold": {
            "answer_variable": column,
            "rows": asked["answerSet"],
            "answers": list(dict.fromkeys(row[column] for row in asked["answerSet"])),
        },
    }


def main() -> None:
    """Read the published files of a folder and write the pack's own into another."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("data", type=Path, help="folder with eval_results.json and the gold")
    parser.add_argument("out", type=Path, help="folder for cases.jsonl and world.json")
    given = parser.parse_args()

    def read(name: str) -> Any:
        return json.loads((given.data / name).read_text("utf-8"))

    found = cases(read("eval_results.json"), read("eval_summary.json")["llm_model"])
    lines = [json.dumps(case, ensure_ascii=False) for case in found]
    tables = json.dumps(world(read("CQAGC-Candidates-10_Answers--1.json")), ensure_ascii=False, indent=1)
    given.out.mkdir(parents=True, exist_ok=True)
    (given.out / "cases.jsonl").write_text("\n".join([*lines, ""]), "utf-8")
    (given.out / "world.json").write_text(tables + "\n", "utf-8")


if __name__ == "__main__":
    main()
