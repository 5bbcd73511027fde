import type { Migration } from "../migrations.ts";

/**
 * What was said reaches the index of words many rows at a time: a row by itself costs about as much as all
 * others of its commit together. Which rows are still to come is stored with them, so that none is missed.
 */
export const saidLater: Migration = {
  version: 21,
  name: "0021-said-later",
  sql: `
CREATE TABLE said_pending (
  tenant TEXT NOT NULL,
  doc    INTEGER NOT NULL,
  PRIMARY KEY (tenant, doc)
) STRICT, WITHOUT ROWID;

DROP TRIGGER said_comes;
CREATE TRIGGER said_comes AFTER INSERT ON said
BEGIN INSERT INTO said_pending (tenant, doc) VALUES (NEW.tenant, NEW.doc); END;

DROP TRIGGER said_goes;
CREATE TRIGGER said_goes AFTER DELETE ON said
BEGIN
  DELETE FROM said_index WHERE rowid = OLD.doc;
  DELETE FROM said_pending WHERE tenant = OLD.tenant AND doc = OLD.doc;
END;
`,
};
