-- The rows of fleets' vaults, sealed: the server can open none of them. Documentation/fleet.md.
CREATE SCHEMA credential_vault;

CREATE TABLE credential_vault.vault (
  id bytea PRIMARY KEY CHECK (pg_catalog.octet_length(id) = 16),
  ident bytea NOT NULL,
  head bytea NOT NULL,
  generation bigint NOT NULL CHECK (generation > 0),
  changed timestamptz NOT NULL DEFAULT pg_catalog.now()
) WITH (
  -- Every commit writes this row: there is room for the next one on its page.
  fillfactor = 50,
  autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000,
  toast.autovacuum_vacuum_scale_factor = 0, toast.autovacuum_vacuum_threshold = 1000
);

CREATE TABLE credential_vault.sealed_row (
  vault bytea NOT NULL,
  kind smallint NOT NULL,
  id bigint NOT NULL,
  -- NULL is a row that was removed: replicas that still have it have to learn that.
  sealed bytea,
  generation bigint NOT NULL,
  PRIMARY KEY (vault, kind, id)
) WITH (
  autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000,
  toast.autovacuum_vacuum_scale_factor = 0.02, toast.autovacuum_vacuum_threshold = 1000
);
CREATE INDEX sealed_row_generation ON credential_vault.sealed_row (vault, generation);

-- Ciphertext does not compress.
ALTER TABLE credential_vault.vault ALTER head SET STORAGE EXTERNAL;
ALTER TABLE credential_vault.sealed_row ALTER sealed SET STORAGE EXTERNAL;

-- Which role may use which vault. The owner of the tables may use all.
CREATE TABLE credential_vault.member (
  vault bytea NOT NULL, role name NOT NULL, PRIMARY KEY (role, vault)
);

ALTER TABLE credential_vault.member ENABLE ROW LEVEL SECURITY;
CREATE POLICY own ON credential_vault.member USING (role = current_user);
ALTER TABLE credential_vault.vault ENABLE ROW LEVEL SECURITY;
CREATE POLICY member ON credential_vault.vault USING (
  id IN (SELECT vault FROM credential_vault.member WHERE role = current_user));
ALTER TABLE credential_vault.sealed_row ENABLE ROW LEVEL SECURITY;
CREATE POLICY member ON credential_vault.sealed_row USING (
  vault IN (SELECT vault FROM credential_vault.member WHERE role = current_user));

COMMENT ON SCHEMA credential_vault IS 'step 1';
