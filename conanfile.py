# SPDX-License-Identifier: Apache-2.0
"""Conan 2: the dependencies of Lockkeeper's command and libraries."""

import pathlib
import re

from conan import ConanFile


class Lockkeeper(ConanFile):
    name = "lockkeeper"
    license = "Apache-2.0"
    description = "Simulates and verifies locks, limiters and leases"
    settings = "os", "compiler", "build_type", "arch"
    generators = "CMakeDeps", "CMakeToolchain"
    requires = (
        "boost/[>=1.74]",
        "cli11/[>=2.2 <3]",
        "eigen/[>=3.4 <4]",
        "fmt/[>=9 <12]",
        "libpq/[>=14]",
        "mariadb-connector-c/[>=3.1 <4]",
        "nlohmann_json/[>=3.11 <4]",
        "onetbb/[>=2021]",
        "xxhash/[>=0.8 <1]",
    )
    default_options = {"boost/*:header_only": True}

    def set_version(self):
        text = (pathlib.Path(self.recipe_folder) / "CMakeLists.txt").read_text(encoding="utf-8")
        self.version = re.search(r"project\(lockkeeper VERSION (\S+)", text).group(1)
