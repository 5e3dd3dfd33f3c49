#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: python3-django-pglocks 1.0.4 and python3-django 3.2 with postgresql-15 (Debian 12), Python 3.11.
# Expected: the README says that the lock ends with its context, also by an exception. It asks that the view controls the
#   transactions, as this script does, and not the middleware.
# Really: the unlock is one more statement of the transaction. If a statement within has failed the transaction takes no
#   other one before its rollback: the unlock fails, its error hides the one of the work, and the rollback does not touch
#   a lock of the session. The session keeps the lock, and nobody else gets in.
# Seen: the lines at the end of this script. Controls: an error of Python in the transaction; the same statement without a
#   transaction, and in one that stands within the lock.

set -euo pipefail
source "$(dirname "$0")/common.sh"
debian python3-django-pglocks '1.0.4-*'
debian python3-django '3:3.2.*'
debian python3-psycopg2 '2.9.*'
start_postgresql lc_messages=C

cat >"$tmp/aborted.py" <<'PROGRAM'
import contextlib
import sys
import warnings

warnings.simplefilter("ignore")
import django
from django.conf import settings

server = {"ENGINE": "django.db.backends.postgresql", "HOST": sys.argv[1], "USER": "tester", "NAME": "postgres"}
settings.configure(DATABASES={"default": server, "other": dict(server)}, INSTALLED_APPS=[], USE_TZ=True)
django.setup()
from django.db import connection, transaction
from django_pglocks import advisory_lock


def statement():
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1 / 0")


def mistake():
    return 1 // 0


# Work that fails under a lock; then another session asks for the lock.
def run(title, work, around=contextlib.nullcontext, within=contextlib.nullcontext):
    told = "nothing"
    try:
        with around(), advisory_lock(title), within():
            work()
    except Exception as error:
        told = str(error).split("\n", 1)[0]
    with advisory_lock(title, wait=False, using="other") as granted:
        print(f"{title}: told \"{told}\", another session {'gets in' if granted else 'is refused'}")


run("a statement fails in a transaction", statement, transaction.atomic)
run("control, Python fails in a transaction", mistake, transaction.atomic)
run("control, a statement fails without a transaction", statement)
run("control, the transaction is within the lock", statement, within=transaction.atomic)
PROGRAM

as_stated 'a statement fails in a transaction: told "current transaction is aborted, commands ignored until end of transaction block", another session is refused
control, Python fails in a transaction: told "integer division or modulo by zero", another session gets in
control, a statement fails without a transaction: told "division by zero", another session gets in
control, the transaction is within the lock: told "division by zero", another session gets in' "$(timeout 50 /usr/bin/python3 "$tmp/aborted.py" "$tmp" 2>&1)"
