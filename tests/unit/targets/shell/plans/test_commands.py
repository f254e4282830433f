"""Which commands are known to apply a plan; every other one is run as any command is."""

from __future__ import annotations

import pytest

from groundwire.targets.shell.plans.commands import Applying, applying_of


def known(
    folder: str = ".", file: str | None = None, planning: tuple[str, ...] = (),
    options: tuple[str, ...] = (),
) -> Applying:  # fmt: skip
    return Applying(folder=folder, file=file, planning=planning, options=options)


@pytest.mark.parametrize(
    ("command", "found"),
    [
        ("terraform apply", known()),
        ("  terraform   apply -auto-approve -input=false --no-color ", known()),
        ("terraform apply saved.tfplan", known(file="saved.tfplan")),
        ("terraform -chdir=infra apply 'a plan'", known("infra", "a plan")),
        ("terraform destroy -auto-approve", known(planning=("-destroy",))),
        ("terraform apply -destroy -refresh=false", known(planning=("-destroy", "-refresh=false"))),
        (
            "terraform apply -var 'a=b c' -var=d=e -var-file=x.tfvars",
            known(planning=("-var=a=b c", "-var=d=e", "-var-file=x.tfvars")),
        ),
        ("terraform apply '-target=a.b[0]'", known(planning=("-target=a.b[0]",))),
        (
            "terraform apply -parallelism=2 -lock-timeout=5s p",
            known(file="p", options=("-parallelism=2", "-lock-timeout=5s")),
        ),
    ],
)
def test_a_command_that_applies_is_read(command: str, found: Applying) -> None:
    assert applying_of(command) == found


@pytest.mark.parametrize(
    "command",
    [
        "", "terraform", "terraform plan", "terraform -chdir=x", "terraform -chdir= apply",
        "terraform apply a b", "terraform apply p -var a=b", "terraform apply -lock=false",
        "terraform apply -state=x", "terraform apply -refresh-only", "terraform apply -var",
        "terraform apply -json", "terraform apply -help", "terraform destroy p",
        "terraform apply; rm -rf x", "terraform apply && true", "terraform apply | tee x",
        "terraform apply > x", "terraform apply $PLAN", 'terraform apply "$PLAN"',
        "terraform apply `ls`", "terraform apply *.tfplan", "terraform apply ~/p",
        "terraform apply\nrm x", "terraform apply # x", "cd x && terraform apply",
        "TF_LOG=x terraform apply", "./terraform apply", "/opt/terraform apply",
        "sudo terraform apply", "tofu apply", "terraform apply 'x", "terraform apply \\-h",
        "terraform apply {a,b}", "terraform apply -target=a.b[0]", "echo terraform apply",
    ],
)  # fmt: skip
def test_whatever_says_more_is_another_command(command: str) -> None:
    assert applying_of(command) is None
