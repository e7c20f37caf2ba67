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

-- What `vaultctl fleet grant` and `fleet revoke` call, and an administrator can call: with the rights
-- of the caller, so that nobody but the owner of the tables changes anything.
CREATE FUNCTION credential_vault.grant_vault(vault bytea, role name) RETURNS void
LANGUAGE plpgsql SECURITY INVOKER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF role = 'public' THEN
    RAISE invalid_parameter_value USING MESSAGE = 'public is every role of the server: name one';
  END IF;
  -- First, because it fails for a role that does not exist: one that is made later under a mistyped
  -- name must not find itself a member.
  EXECUTE pg_catalog.format('GRANT USAGE ON SCHEMA credential_vault TO %I', role);
  EXECUTE pg_catalog.format('GRANT SELECT, UPDATE ON credential_vault.vault TO %I', role);
  EXECUTE pg_catalog.format('GRANT SELECT, INSERT, UPDATE ON credential_vault.sealed_row TO %I', role);
  EXECUTE pg_catalog.format('GRANT SELECT ON credential_vault.member TO %I', role);
  INSERT INTO credential_vault.member VALUES (grant_vault.vault, grant_vault.role)
  ON CONFLICT DO NOTHING;
END
$$;

-- Returns whether the role had access.
CREATE FUNCTION credential_vault.revoke_vault(vault bytea, role name) RETURNS boolean
LANGUAGE plpgsql SECURITY INVOKER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  DELETE FROM credential_vault.member AS member
  WHERE member.vault = revoke_vault.vault AND member.role = revoke_vault.role;
  RETURN FOUND;
END
$$;

REVOKE ALL ON FUNCTION
  credential_vault.grant_vault(bytea, name), credential_vault.revoke_vault(bytea, name) FROM PUBLIC;

COMMENT ON SCHEMA credential_vault IS 'step 1';
