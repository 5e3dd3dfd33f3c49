"""Which scopes tools/sweep.py goes through, for each system."""

import sweep_further
import sweep_leases
import sweep_monglock
import sweep_transactional

SYSTEMS = {
    "monglock_write": sweep_monglock.write_lock_scopes,
    "monglock_multi": sweep_monglock.multi_lock_scopes,
    "transactional_pg": sweep_transactional.postgresql_scopes,
    "transactional_innodb": sweep_transactional.innodb_scopes,
    "lease_db": sweep_leases.database_scopes,
    "lease_service": sweep_leases.service_scopes,
    "lease_coordinator": sweep_leases.coordinator_scopes,
    **sweep_further.SWEEPS,
}
