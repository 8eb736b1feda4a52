import FreeholdEngine
import FreeholdMerge

/// The tables that the merge keeps, in the schema `freehold`.
enum PostgresTables {
    static let script = """
        CREATE SCHEMA IF NOT EXISTS freehold;
        CREATE TABLE IF NOT EXISTS freehold.state (one boolean PRIMARY KEY CHECK (one), horizon xid8 NOT NULL, history bigint NOT NULL,
            version bigint NOT NULL, base bigint NOT NULL, moved boolean NOT NULL);
        INSERT INTO freehold.state VALUES (true, '1', (random() * 9007199254740991)::bigint + 1, 1, 0, false) ON CONFLICT DO NOTHING;
        CREATE TABLE IF NOT EXISTS freehold.class (number bigint PRIMARY KEY, name text UNIQUE NOT NULL, update_wins boolean NOT NULL,
            key text NOT NULL, key_type bigint NOT NULL, in_schema text, in_table text, in_column text);
        CREATE TABLE IF NOT EXISTS freehold.property (class bigint REFERENCES freehold.class, number bigint, name text NOT NULL,
            kind text NOT NULL, is_unique boolean NOT NULL, type bigint, target text,
            in_column text, column_type text, PRIMARY KEY (class, number), UNIQUE (class, name));
        CREATE TABLE IF NOT EXISTS freehold.replica (number bigint PRIMARY KEY, high bigint, low bigint, ledger bytea, ancestors bytea,
            owner bigint, namer bigint, UNIQUE (high, low));
        CREATE INDEX IF NOT EXISTS replica_owner ON freehold.replica (owner);
        CREATE INDEX IF NOT EXISTS replica_namer ON freehold.replica (namer);
        CREATE TABLE IF NOT EXISTS freehold.account (name text PRIMARY KEY, number bigint UNIQUE NOT NULL);
        ALTER TABLE freehold.account ADD COLUMN IF NOT EXISTS claims jsonb, ADD COLUMN IF NOT EXISTS issued bigint NOT NULL DEFAULT 0;
        CREATE TABLE IF NOT EXISTS freehold.rules (number bigint PRIMARY KEY, text text NOT NULL);
        INSERT INTO freehold.replica (number, high, low) VALUES (0, 0, 0) ON CONFLICT DO NOTHING;
        CREATE TABLE IF NOT EXISTS freehold.owed (replica bigint, object bytea, transaction xid8 NOT NULL, PRIMARY KEY (replica, object));
        CREATE TABLE IF NOT EXISTS freehold.claim (name bytea PRIMARY KEY, amount bytea NOT NULL);
        CREATE TABLE IF NOT EXISTS freehold."user" (number bigint PRIMARY KEY);
        CREATE TABLE IF NOT EXISTS freehold.view (object bytea, "user" bigint, own boolean NOT NULL, links bigint NOT NULL,
            sees boolean NOT NULL, since xid8 NOT NULL, began xid8 NOT NULL, PRIMARY KEY (object, "user"));
        ALTER TABLE freehold.view ADD COLUMN IF NOT EXISTS reaches bigint[];
        CREATE INDEX IF NOT EXISTS view_since ON freehold.view ("user", since);
        CREATE TABLE IF NOT EXISTS freehold.link (target bytea, object bytea, PRIMARY KEY (target, object));
        CREATE TABLE IF NOT EXISTS freehold.holder (name bytea, object bytea, PRIMARY KEY (name, object));
        CREATE INDEX IF NOT EXISTS holder_object ON freehold.holder (object);
        CREATE TABLE IF NOT EXISTS freehold."row" (
            object bytea PRIMARY KEY, alive boolean NOT NULL, last xid8 NOT NULL, birth xid8 NOT NULL, births bigint[],
            death xid8, killer bigint, writers bigint[], seen xid8[],
            values bytea[], stamps bigint[], replicas bigint[], epochs bigint[], written xid8[], given bigint[], instances bigint[],
            traces bigint[], counters bigint[], sums bigint[], collected bigint[], collections bytea[]);
        CREATE INDEX IF NOT EXISTS row_last ON freehold."row" (last);
        CREATE INDEX IF NOT EXISTS row_dead ON freehold."row" (last, object) WHERE NOT alive;
        CREATE INDEX IF NOT EXISTS view_left ON freehold.view (since, object) WHERE NOT sees AND NOT own AND links = 0;
        CREATE INDEX IF NOT EXISTS link_object ON freehold.link (object);
        CREATE TABLE IF NOT EXISTS freehold.layout (script bigint PRIMARY KEY);
        CREATE TABLE IF NOT EXISTS freehold.ended (transaction xid8 PRIMARY KEY);
        ALTER TABLE freehold.state ADD COLUMN IF NOT EXISTS ended_from xid8 NOT NULL DEFAULT pg_snapshot_xmax(pg_current_snapshot());
        CREATE TABLE IF NOT EXISTS freehold.mark (taken timestamptz PRIMARY KEY, oldest xid8 NOT NULL);
        \(ForeignTables.script)
        """

    static let columns = """
        alive, last, birth, births, death, killer, writers, seen, values, stamps, replicas, epochs, written, given, instances, traces, \
        counters, sums, collected, collections
        """

    static let save = """
        INSERT INTO freehold."row" (object, \(columns)) VALUES (\((1...21).map { "$\($0)" }.joined(separator: ", "))) \
        ON CONFLICT (object) DO UPDATE SET \
        \(columns.split(separator: ", ").map { "\($0) = excluded.\($0)" }.joined(separator: ", "))
        """

    static let copied = "freehold.\"row\" (object, \(columns))"

    static func parameters(_ object: [UInt8], _ row: RowColumns, _ coding: StoreCoding) -> [PostgresValue] {
        let registers = row.registers, ints = { (list: [UInt32]) in PostgresValue.ints(list.map { Int64($0) }) }
        let words = { (list: [UInt64]) in PostgresValue.ints(list.map { Int64(bitPattern: $0) }) }
        return [
            .bytes(object), .bool(row.isAlive), .transaction(row.last), .transaction(row.birth), ints(row.births),
            .transaction(row.death), .int(Int64(row.killer)), ints(row.writers), .transactions(row.seen),
            .byteArrays(registers.values.map { $0.isNull ? nil : coding.bytes(of: $0) }), words(registers.stamps),
            ints(registers.replicas), words(registers.epochs), .transactions(registers.written), words(registers.given),
            words(registers.instances), ints(registers.traces), .ints(row.counters.map { Int64($0.property) }),
            .ints(row.counters.map(\.sum)), .ints(row.collections.map { Int64($0.property) }),
            .byteArrays(row.collections.map(\.bytes)),
        ]
    }

    /// The row in a result with `columns` from `first` on.
    static func row(_ rows: PostgresRows, _ place: Int, from first: Int, _ coding: StoreCoding) throws(FreeholdError) -> RowColumns {
        var made = RowColumns()
        func words(_ column: Int) throws(FreeholdError) -> [UInt64] { try rows.ints(place, first + column).map { UInt64(bitPattern: $0) } }
        func ints(_ column: Int) throws(FreeholdError) -> [UInt32] {
            try rows.ints(place, first + column).map { UInt32(truncatingIfNeeded: $0) }
        }
        made.isAlive = rows.bool(place, first)
        (made.last, made.birth) = (rows.transaction(place, first + 1), rows.transaction(place, first + 2))
        (made.births, made.death) = (try ints(3), rows.transaction(place, first + 4))
        made.killer = UInt32(truncatingIfNeeded: rows.int(place, first + 5))
        (made.writers, made.seen) = (try ints(6), try words(7))
        made.registers.values = try rows.byteArrays(place, first + 8).map { bytes throws(FreeholdError) in
            try bytes.map { one throws(FreeholdError) in try coding.value(one) } ?? .null
        }
        (made.registers.stamps, made.registers.replicas, made.registers.epochs) = (try words(9), try ints(10), try words(11))
        (made.registers.written, made.registers.given, made.registers.instances) = (try words(12), try words(13), try words(14))
        made.registers.traces = try ints(15)
        for (property, sum) in zip(try rows.ints(place, first + 16), try rows.ints(place, first + 17)) {
            made.counters.append(.init(property: Int32(truncatingIfNeeded: property), sum: sum))
        }
        for (property, bytes) in zip(try rows.ints(place, first + 18), try rows.byteArrays(place, first + 19)) {
            made.collections.append(.init(property: Int32(truncatingIfNeeded: property), bytes: bytes ?? []))
        }
        return made
    }
}
