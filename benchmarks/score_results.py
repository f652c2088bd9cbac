"""A published result file judged: time, crashes, imaginary ratios, and every disagreement.

Run with ``python -m benchmarks.score_results FILE [--every K] [--workers N] [--markdown PAGE]``.
The file has SRBench's columns; ``--every K`` takes each K-th problem, ``--markdown`` writes the
list of disagreements between the markers of a page.
"""

from __future__ import annotations

import argparse
import re
from pathlib import Path

from symbed.scoring import JudgedResults, JudgedRow, judge_results
from symbed.scoring.result_files.result_file_reader import read_result_file
from symbed.scoring.result_files.result_rows import ResultFile

GOAL_SECONDS = 60.0
IMAGINARY = re.compile(r"\bI\b")
MARKERS = re.compile(r"(<!-- disagreements:.*?-->\n).*?(<!-- end -->)", re.DOTALL)


def thinned(file: ResultFile, every: int) -> ResultFile:
    """Each K-th problem of a file."""
    names = list(dict.fromkeys(row.problem for row in file.rows))[::every]
    return ResultFile(file.path, file.format, tuple(r for r in file.rows if r.problem in names))


def is_imaginary_failure(row: JudgedRow) -> bool:
    """Whether a row's ratio to the truth is imaginary and its accuracy fails too."""
    columns = row.result.columns
    fails = str(columns.get("accuracy_solution", "")).lower() == "false"
    return fails and bool(IMAGINARY.search(str(columns.get("symbolic_fraction", ""))))


def report(judged: JudgedResults) -> None:
    """Print goals and values."""
    summary = judged.summary()
    imaginary = [row for row in judged.rows if is_imaginary_failure(row)]
    accepted = sum(row.is_right for row in imaginary)
    lost = sum("a defect of symbed" in row.problem or "lost" in row.problem for row in judged.rows)
    late = sum("no answer within" in row.problem for row in judged.rows)
    print(f"rows                            {summary['rows']:,} of {summary['expected']:,}")
    print(f"seconds                         {judged.seconds:.1f} (goal: under {GOAL_SECONDS:g})")
    print(f"crashes                         {lost} (goal: 0); no answer in time: {late}")
    print(
        f"imaginary and inaccurate rows   {len(imaginary)}, of them accepted {accepted} (goal: 0)"
    )
    print(f"they accept                     {summary['they_accept']:,}")
    print(f"we accept                       {summary['right']:,}")
    print(f"they accept, we reject          {summary['they_accept_we_reject']}")
    print(f"they reject, we accept          {summary['they_reject_we_accept']}")
    unexplained = sum(not row.evidence for row in judged.disagreements)
    print(f"disagreements without evidence  {unexplained} (goal: 0)")
    for row in judged.disagreements:
        side = "they accept" if row.result.accepted else "they reject"
        print(f"{row.result.line:5} {side}  {row.result.problem}  {row.result.formula}")
        print(f"      {row.verdict}; {row.evidence}")


def markdown(judged: JudgedResults) -> str:
    """The disagreements as a table."""
    lines = []
    for title, rows in (("They accept, we reject", judged.rejected),
                        ("They reject, we accept", judged.accepted)):  # fmt: skip
        lines += [f"**{title}: {len(rows)} rows.**", "",
                  "| line | problem, noise | found | R² | verdict | evidence |",
                  "|---:|---|---|---|---|---|"]  # fmt: skip
        for row in rows:
            columns = row.result.columns
            cells = (
                str(row.result.line),
                f"{row.result.problem.removeprefix('feynman_')}, {columns.get('target_noise')}",
                f"`{row.result.formula}`", f"{float(columns['r2_test']):.6g}",
                row.verdict, row.evidence,
            )  # fmt: skip
            lines.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
        lines.append("")
    return "\n".join(lines)


def main() -> None:
    """Judge a file and print what was found."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file")
    parser.add_argument("--every", type=int, default=1, help="each K-th problem")
    parser.add_argument("--workers", type=int)
    parser.add_argument("--markdown", metavar="PAGE", help="write the disagreements to a page")
    arguments = parser.parse_args()
    file = thinned(read_result_file(arguments.file), arguments.every)
    judged = judge_results([file], workers=arguments.workers)
    report(judged)
    if arguments.markdown:
        page = Path(arguments.markdown)
        table = markdown(judged).replace("\\", "\\\\")
        page.write_text(MARKERS.sub(rf"\1\n{table}\n\2", page.read_text()))


if __name__ == "__main__":
    main()
