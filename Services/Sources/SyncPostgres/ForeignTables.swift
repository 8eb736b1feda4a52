import FreeholdEngine

/// What is kept of writes of other software, and what their triggers have in common.
enum ForeignTables {
    /// `deleted` says that the object was deleted; what else has changed is seen by comparing tables and rows.
    static let script = """
        CREATE TABLE IF NOT EXISTS freehold.foreign (number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, class bigint NOT NULL,
                key bytea NOT NULL, deleted boolean NOT NULL, transaction xid8 NOT NULL DEFAULT pg_current_xact_id());
            CREATE INDEX IF NOT EXISTS foreign_object ON freehold.foreign (class, key);
            CREATE TABLE IF NOT EXISTS freehold.refused (at timestamptz NOT NULL DEFAULT now(), class text NOT NULL, key bytea NOT NULL,
                place text NOT NULL, reason text NOT NULL);
            CREATE INDEX IF NOT EXISTS refused_at ON freehold.refused (at);
            CREATE OR REPLACE FUNCTION freehold.refuse(place text, reason text, advice text) RETURNS void LANGUAGE plpgsql AS $$ BEGIN
                RAISE EXCEPTION USING MESSAGE = place || ': ' || reason, HINT = advice, ERRCODE = 'integrity_constraint_violation';
            END $$;
            CREATE OR REPLACE FUNCTION freehold.require_here() RETURNS void LANGUAGE plpgsql AS $$
            DECLARE has_moved boolean;
            BEGIN
                -- Locked, so that also a transaction with an older snapshot fails if the data has moved meanwhile.
                SELECT moved INTO has_moved FROM freehold.state FOR SHARE;
                IF has_moved THEN
                    RAISE EXCEPTION 'the data of Freehold is in another database now, or on its way there'
                        USING HINT = 'write to that one', ERRCODE = 'object_not_in_prerequisite_state';
                END IF;
            END $$;
            CREATE OR REPLACE FUNCTION freehold.refuse_foreign() RETURNS trigger LANGUAGE plpgsql AS $$
            DECLARE place text := quote_ident(TG_TABLE_SCHEMA) || '.' || quote_ident(TG_TABLE_NAME);
            BEGIN
                IF current_setting('freehold.merging', true) = 'on' THEN RETURN NULL; END IF;
                IF TG_OP = 'TRUNCATE' AND TG_NAME = 'freehold_emptying' THEN
                    RAISE EXCEPTION '%: TRUNCATE is refused, as it says nothing of the rows', place
                        USING HINT = 'use DELETE', ERRCODE = 'insufficient_privilege';
                END IF;
                RAISE EXCEPTION '% can only be read: it is a list, whose order has no place in a table', place
                    USING HINT = 'write to a file of Freehold, or use a map', ERRCODE = 'insufficient_privilege';
            END $$;
            CREATE OR REPLACE FUNCTION freehold.is_decimal(x numeric) RETURNS boolean LANGUAGE sql IMMUTABLE
                SET search_path = pg_catalog AS $$
                SELECT x IN ('NaN', 'Infinity', '-Infinity') OR abs(x) < 1e6145 AND scale(trim_scale(x)) <= 6176
                    AND length(trim(BOTH '0' FROM replace(abs(x)::text, '.', ''))) <= 34
            $$;
            CREATE OR REPLACE FUNCTION freehold.looks_like_link(x jsonb) RETURNS boolean LANGUAGE sql IMMUTABLE
                SET search_path = pg_catalog AS $$
                SELECT jsonb_typeof(x) = 'object' AND x ? 'class' AND x ? 'key' AND x - 'class' - 'key' = '{}'
            $$;
            CREATE OR REPLACE FUNCTION freehold.is_link(x jsonb) RETURNS boolean LANGUAGE sql STABLE SET search_path = pg_catalog AS $$
                SELECT freehold.looks_like_link(x) AND EXISTS (SELECT FROM freehold.class c WHERE c.name = x ->> 'class'
                    AND jsonb_typeof(x -> 'key') = CASE c.key_type WHEN \(integerType) THEN 'number' ELSE 'string' END)
            $$;
        """

    /// The number of the type of integers in `freehold.class`.
    private static let integerType = PropertyType.int.rawValue
}
