"""Commands that help: suggestions, examples, completion, and errors that name flags that exist."""

from __future__ import annotations

import ast
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from symbed.cli import FLAGS, in_command_words, main
from symbed.cli.command_table import COMMANDS, command_parsers, option_flags
from symbed.cli.commands.completion import completion_script

SOURCE = Path(__file__).parents[2] / "src" / "symbed"
PARSERS = command_parsers()
EVERY_FLAG = {flag for parser in PARSERS.values() for flag in option_flags(parser)}

# Errors of verbs and rooms that no command calls.
NOT_OF_COMMANDS = {"transformer.py", "measures.py", "grade_answers.py", "syntax", "embedding"}


def test_symbed_alone_prints_its_help(capsys) -> None:
    assert main([]) == 0
    out = capsys.readouterr().out
    assert "commands:" in out
    assert "examples:" in out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["distanse", "x", "y"], "unknown command 'distanse'; did you mean distance?"),
        (["duplicate", "f"], "did you mean duplicates?"),
        (["distance", "x", "y", "--domian", "x=0:1"], "unknown option --domian; did you mean --domain?"),
        (["nearest", "f", "x", "--distnct"], "did you mean --distinct?"),
    ],
)  # fmt: skip
def test_mistyped_words_get_a_suggestion(capsys, words, said) -> None:
    with pytest.raises(SystemExit) as stop:
        main(words)
    assert stop.value.code == 2
    assert said in capsys.readouterr().err


@pytest.mark.parametrize("name", sorted(name for name in COMMANDS if COMMANDS[name].example))
def test_the_help_of_a_command_has_an_example(name) -> None:
    assert f"example:\n  {COMMANDS[name].example}" in PARSERS[name].format_help()


def messages() -> Iterator[tuple[str, str]]:
    """The table of errors: every sentence that the library can raise, by file."""
    for path in sorted(SOURCE.rglob("*.py")):
        if "web" in path.parts or path.name in NOT_OF_COMMANDS or path.parent.name == "syntax":
            continue
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call):
                for argument in node.exc.args:
                    if isinstance(argument, ast.Constant) and isinstance(argument.value, str):
                        yield path.name, argument.value
                    elif isinstance(argument, ast.JoinedStr):
                        parts = (
                            p.value if isinstance(p, ast.Constant) else "7" for p in argument.values
                        )
                        yield path.name, "".join(map(str, parts))


TABLE = sorted(set(messages()))


def test_there_is_a_table_of_errors() -> None:
    assert len(TABLE) > 200


@pytest.mark.parametrize("name", sorted(PARSERS))
def test_every_error_names_only_flags_that_the_command_has(name) -> None:
    flags = option_flags(PARSERS[name])
    for file, message in TABLE:
        said = in_command_words(message, flags)
        for flag in re.findall(r"(?<![\w-])--[a-z][a-z-]+", said):
            is_other_command = re.search(rf"symbed \w+[^;]* {flag}", said)
            assert flag in flags or is_other_command or flag in message, (file, message, said)


def test_flags_that_the_library_itself_names_exist() -> None:
    for file, message in TABLE:
        for flag in re.findall(r"(?<![\w-])--[a-z][a-z-]+", message):
            assert flag in EVERY_FLAG | {"--help"}, (file, message)


def test_every_flag_of_the_dictionary_exists() -> None:
    assert set(FLAGS.values()) <= EVERY_FLAG


@pytest.mark.parametrize(
    ("message", "flags", "said"),
    [
        ("give n_clusters=... or threshold=...", ["-n", "--threshold"], "give -n or --threshold"),
        ("measure with metric='relative', undefined='cemetery', penalty=..., or a finite mismatch=...",
         ["--metric", "--undefined", "--penalty", "--mismatch"],
         "measure with --metric relative, --undefined cemetery, --penalty, or a finite --mismatch"),
        ("t has nan; missing='drop' leaves such rows out", ["--missing"],
         "t has nan; --missing drop leaves such rows out"),
        ("the domain is empty; give domain={'x': (low, high)}", ["--domain"],
         "the domain is empty; give --domain x=low:high"),
        ("n_points must be positive, got 0", ["--points"], "--points must be positive, got 0"),
        ("no range for a; give parameters=(low, high)", ["--parameters"],
         "no range for a; give --parameters low:high"),
    ],
)  # fmt: skip
def test_remedies_in_python_become_flags(message, flags, said) -> None:
    assert in_command_words(message, flags) == said


class TestCompletion:
    """The scripts are run in the shells; each lists what can be typed next."""

    def run(self, shell: str, tmp_path: Path, line: str, *flags: str) -> list[str]:
        if shutil.which(shell) is None:
            pytest.skip(f"{shell} is not installed")
        script = tmp_path / "symbed.completion"
        script.write_text(completion_script(shell, PARSERS))
        command = line.format(script=script)
        done = subprocess.run(
            [shell, *flags, "-c", command], capture_output=True, text=True, check=True, cwd=tmp_path
        )
        return [line.split("\t")[0] for line in done.stdout.split("\n") if line]

    def complete(self, shell: str, tmp_path: Path, words: list[str]) -> list[str]:
        if shell == "fish":
            return self.run(shell, tmp_path, f'source {{script}}; complete -C "{" ".join(words)}"')
        if shell == "zsh":
            line = (
                "source {script}; compadd() {{ shift; print -l -- $@ }}; _files() {{ ls }}; "
                f"words=({' '.join(word or repr('') for word in words)}); CURRENT={len(words)}; _symbed"
            )
            return self.run(shell, tmp_path, line, "-f")
        line = (
            "source {script}; COMP_WORDS=(" + " ".join(word or '""' for word in words) + "); "
            f"COMP_CWORD={len(words) - 1}; _symbed; " + 'printf "%s\\n" "${{COMPREPLY[@]}}"'
        )
        return self.run(shell, tmp_path, line, "--norc")

    @pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
    def test_commands_are_completed(self, shell, tmp_path) -> None:
        found = self.complete(shell, tmp_path, ["symbed", "d"])
        assert {"distance", "decide", "duplicates"} <= set(found) <= {*COMMANDS, *PARSERS}

    @pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
    def test_flags_of_the_command_are_completed(self, shell, tmp_path) -> None:
        found = self.complete(shell, tmp_path, ["symbed", "nearest", "--di"])
        assert {"--distinct", "--dialect"} <= set(found) <= set(option_flags(PARSERS["nearest"]))

    @pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
    def test_files_are_completed(self, shell, tmp_path) -> None:
        (tmp_path / "formulas.txt").write_text("x\n")
        found = self.complete(shell, tmp_path, ["symbed", "nearest", "form"])
        assert "formulas.txt" in found

    @pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
    def test_the_command_prints_the_script(self, shell, capsys) -> None:
        assert main(["completion", shell]) == 0
        assert "symbed" in capsys.readouterr().out

    def test_a_real_zsh_completes_what_is_typed(self, tmp_path: Path) -> None:
        if shutil.which("zsh") is None:
            pytest.skip("zsh is not installed")
        script = tmp_path / "symbed.completion"
        script.write_text(completion_script("zsh", PARSERS))
        typed = tmp_path / "typed.zsh"
        typed.write_text(TYPED_IN_ZSH.format(folder=tmp_path, script=script))
        done = subprocess.run(
            ["zsh", "-f", str(typed)], capture_output=True, text=True, check=True, timeout=60
        )
        assert "symbed distance" in done.stdout
        assert "--domain" in done.stdout


# A terminal in which a line is typed with the tab key; what it shows comes out.
TYPED_IN_ZSH = """\
zmodload zsh/zpty
zpty terminal zsh -f -i
wait_for() {{
    local tries=100 more
    while (( tries-- )) && [[ $shown != *$1* ]]; do
        zpty -r -t terminal more && shown+=$more || sleep 0.1
    done
}}
zpty -w terminal 'PS1=; autoload -Uz compinit; compinit -u -d {folder}/dump; source {script}; print REA""DY'
wait_for READY
zpty -w -n terminal $'symbed dist\\t'
wait_for distance
zpty -w -n terminal $' --dom\\t'
wait_for --domain
print -r -- "$shown"
zpty -d terminal
"""
