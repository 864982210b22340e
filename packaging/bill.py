"""The software bill of materials (CycloneDX 1.6, JSON) of a bundle, from its inventory."""

from __future__ import annotations

import datetime as dt
import hashlib
import json
import uuid
from pathlib import Path
from typing import Any

import contents
from cyclonedx.model import HashAlgorithm, HashType, Property
from cyclonedx.model.bom import Bom
from cyclonedx.model.bom_ref import BomRef
from cyclonedx.model.component import Component as Entry
from cyclonedx.model.component import ComponentType
from cyclonedx.model.contact import OrganizationalEntity
from cyclonedx.model.license import DisjunctiveLicense, LicenseExpression
from cyclonedx.output.json import JsonV1Dot6
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator
from inventory import Component
from packageurl import PackageURL

_KINDS = {"application": ComponentType.APPLICATION, "data": ComponentType.DATA}


def bill(components: list[Component], bundle: Path, epoch: int) -> str:
    """Return the bill as JSON; the same for the same bundle. Raises ValueError where it breaks CycloneDX's schema.

    Parameters
    ----------
    components : of the bundle.
    bundle : the folder, whose files are hashed.
    epoch : seconds since 1970, the time it is dated to.
    """
    entries = {component.key: _entry(component, bundle) for component in components}
    own = next(component for component in components if component.kind == "application")
    result = Bom(components=[entry for key, entry in entries.items() if key != own.key])
    result.metadata.component = entries[own.key]
    result.metadata.timestamp = dt.datetime.fromtimestamp(epoch, dt.UTC)
    result.register_dependency(entries[own.key], [entry for key, entry in entries.items() if key != own.key])
    for component in components:
        if component.key != own.key:
            result.register_dependency(entries[component.key], [entries[inner] for inner in component.inside])
    content = hashlib.sha256("".join(f"{c.key}{c.files}" for c in components).encode()).hexdigest()
    result.serial_number = uuid.uuid5(uuid.NAMESPACE_URL, f"{contents.APP_ID}/{contents.version()}/{content}")
    text = JsonV1Dot6(result).output_as_string(indent=1)
    problem = JsonStrictValidator(SchemaVersion.V1_6).validate_str(text)
    if problem:
        raise ValueError(f"the bill of materials breaks the schema: {problem}")
    return text + "\n"


def _entry(component: Component, bundle: Path) -> Entry:
    files = [file for file in component.files if (bundle / file).is_file()]
    digest = hashlib.sha256()
    for file in files:
        digest.update(hashlib.sha256((bundle / file).read_bytes()).digest())
    return Entry(
        name=component.name,
        version=component.version,
        supplier=OrganizationalEntity(name=component.supplier),
        cpe=component.cpe,
        type=_KINDS.get(component.kind, ComponentType.LIBRARY),
        bom_ref=BomRef(component.key),
        purl=PackageURL.from_string(component.purl) if component.purl else None,
        licenses=[_licence(component.licence)],
        hashes=[HashType(alg=HashAlgorithm.SHA_256, content=digest.hexdigest())] if files else None,
        properties=[
            Property(name="splu:kind", value=component.kind),
            Property(name="splu:files", value=str(len(files))),
            Property(name="splu:frozen-modules", value=str(len(component.files) - len(files))),
        ],
    )


def _licence(text: str) -> Any:
    if text == "NOASSERTION":
        return DisjunctiveLicense(name="not stated")

    return LicenseExpression(text)


def listed(text: str) -> set[str]:
    """Return the keys of the components that a bill lists."""
    told = json.loads(text)
    return {told["metadata"]["component"]["bom-ref"], *(entry["bom-ref"] for entry in told["components"])}
