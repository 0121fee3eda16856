"""A PEP 517 backend for this package: it needs neither a network nor setuptools."""

import base64
import hashlib
import io
import pathlib
import re
import tarfile
import zipfile

ROOT = pathlib.Path(__file__).parent
SOURCE = ROOT / "src"
# A fixed time, so that the same sources are the same wheel.
BUILT_AT = (2026, 1, 1, 0, 0, 0)


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    """Writes the wheel into `wheel_directory` and returns its file name."""
    stem = _stem()
    info = f"{stem}.dist-info"
    files = {path.relative_to(SOURCE).as_posix(): path.read_bytes() for path in _modules()}
    files[f"{info}/METADATA"] = _metadata().encode()
    files[f"{info}/WHEEL"] = (
        b"Wheel-Version: 1.0\nGenerator: wheel_backend\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    )
    files[f"{info}/licenses/LICENSE"] = (ROOT / "LICENSE").read_bytes()
    record = "".join(f"{name},{_digest(content)},{len(content)}\n" for name, content in files.items())
    files[f"{info}/RECORD"] = f"{record}{info}/RECORD,,\n".encode()
    name = f"{stem}-py3-none-any.whl"
    with zipfile.ZipFile(pathlib.Path(wheel_directory) / name, "w", zipfile.ZIP_DEFLATED) as wheel:
        for path, content in files.items():
            entry = zipfile.ZipInfo(path, BUILT_AT)
            entry.external_attr = 0o644 << 16
            wheel.writestr(entry, content, zipfile.ZIP_DEFLATED)
    return name


def build_sdist(sdist_directory, config_settings=None):
    """Writes the source archive into `sdist_directory` and returns its file name."""
    stem = _stem()
    name = f"{stem}.tar.gz"
    own = [ROOT / file for file in ("pyproject.toml", "wheel_backend.py", "README.md", "LICENSE")]
    with tarfile.open(pathlib.Path(sdist_directory) / name, "w:gz") as archive:
        for path in own + _modules():
            archive.add(path, f"{stem}/{path.relative_to(ROOT).as_posix()}")
        metadata = _metadata().encode()
        entry = tarfile.TarInfo(f"{stem}/PKG-INFO")
        entry.size = len(metadata)
        archive.addfile(entry, io.BytesIO(metadata))
    return name


def _modules():
    package = SOURCE / "switchboard_client"
    return sorted(path for path in package.rglob("*") if path.suffix in (".py", ".typed"))


def _stem():
    return f"{_setting('name').replace('-', '_')}-{_version()}"


def _version():
    # The package tells the gateway its version, so that is where it stands.
    text = (SOURCE / "switchboard_client" / "version.py").read_text(encoding="utf-8")
    return re.search(r'^__version__ = "(.*)"$', text, re.MULTILINE).group(1)


def _metadata():
    head = {
        "Metadata-Version": "2.4",
        "Name": _setting("name"),
        "Version": _version(),
        "Summary": _setting("description"),
        "License-Expression": _setting("license"),
        "License-File": "LICENSE",
        "Requires-Python": _setting("requires-python"),
        "Description-Content-Type": "text/markdown",
    }
    lines = "".join(f"{name}: {value}\n" for name, value in head.items())
    return f"{lines}\n{(ROOT / 'README.md').read_text(encoding='utf-8')}"


def _setting(name):
    # Python 3.9 has no TOML parser; the settings that are read here are plain strings.
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    found = re.search(rf'^{re.escape(name)} = "(.*)"$', text, re.MULTILINE)
    if found is None:
        raise ValueError(f'pyproject.toml must have a line {name} = "…".')
    return found.group(1)


def _digest(content):
    digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=")
    return f"sha256={digest.decode()}"
