/** The floor's own tables: what a team would write for transfers alone, with as much data as ours. */
export const schema = `
create table floor_wallet (
  merchant_id text not null, id text not null, currency text not null,
  available numeric(38, 0) not null check (available >= 0), reserved numeric(38, 0) not null check (reserved >= 0),
  version bigint not null, primary key (merchant_id, id)
) with (fillfactor = 50);
create table floor_transfer (
  merchant_id text not null, id text not null, customer_id text not null, wallet_id text not null, status text not null,
  version integer not null, created_at bigint not null, updated_at bigint not null, body jsonb not null,
  primary key (merchant_id, id)
) with (fillfactor = 70);
create index floor_transfer_page on floor_transfer (merchant_id, created_at desc, id desc);
create table floor_reference (
  merchant_id text not null, reference text not null, owner text not null, primary key (merchant_id, reference)
);
create table floor_idempotency (
  merchant_id text not null, key text not null, fingerprint text not null, response text not null,
  expires_at bigint not null, primary key (merchant_id, key)
);
create table floor_entry (
  position bigint generated always as identity primary key, merchant_id text not null, resource_id text not null,
  account text not null, currency text not null, amount numeric(38, 0) not null, at bigint not null
);
create index floor_entry_resource on floor_entry (merchant_id, resource_id);
create index floor_entry_account on floor_entry (account, position);
create table floor_event (
  merchant_id text not null, id text not null, object_id text not null, type text not null, created_at bigint not null,
  body text not null, primary key (merchant_id, id)
);
create unique index floor_event_once on floor_event (merchant_id, object_id, type);
create table floor_job (
  merchant_id text not null, id text not null, queue text not null, due_at bigint not null, locked_until bigint,
  attempt integer not null, body jsonb not null, primary key (merchant_id, id)
);
create index floor_job_due on floor_job (queue, due_at)`
