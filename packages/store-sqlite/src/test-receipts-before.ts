import type { Database } from "./database.ts";

const COLUMNS = "seq, id, run_id, call_id, type, ts, actor, surface, payload, prev_hash, hash";
const NEW = COLUMNS.split(", ").map((column) => `NEW.${column}`);

/**
 * Lets the ledger of today write into a database from before its receipts were numbered by their rows: they come to
 * lie where they lay then. Returns how to take that back, before the database is brought forward.
 */
export function receiptsAsBefore(db: Database): () => void {
  db.exec(`CREATE VIEW receipts_by_number AS SELECT ${COLUMNS} FROM receipts WHERE tenant = 'default';
    CREATE TRIGGER numbered_before INSTEAD OF INSERT ON receipts_by_number
    BEGIN INSERT INTO receipts (tenant, ${COLUMNS}) VALUES ('default', ${NEW.join(", ")}); END;
    CREATE VIEW receipts_by_tenant AS SELECT tenant, ${COLUMNS} FROM receipts;
    CREATE TRIGGER of_tenant_before INSTEAD OF INSERT ON receipts_by_tenant
    BEGIN INSERT INTO receipts (tenant, ${COLUMNS}) VALUES (NEW.tenant, ${NEW.join(", ")}); END;`);
  return () => db.exec("DROP VIEW receipts_by_number; DROP VIEW receipts_by_tenant");
}
