-- A store of any size, made from copies of one transfer that the engine has completed: `npm run bench -- --growth`.
-- $TEMPLATE is its id, $MERCHANT its merchant, $ROWS the number of copies, $NOW the time in epoch milliseconds. Seven
-- in ten belong to its merchant, and most of those to its wallet. Their creation is spread evenly over 90 days.

create function pg_temp.stem(ms bigint, n bigint) returns text language sql immutable as $f$
  select string_agg(substr('0123456789abcdefghjkmnpqrstvwxyz', ((ms >> (5 * k)) & 31)::int + 1, 1), '' order by k desc)
    || lpad(n::text, 16, '0') from generate_series(0, 9) k
$f$;

create temp table owner as
  select row_number() over (order by w.merchant_id = '$MERCHANT' desc, w.merchant_id, w.id) - 1 as n, w.merchant_id,
    w.id as wallet, w.customer_id as customer, (select b.id from resource b where b.merchant_id = w.merchant_id
      and b.kind = 'beneficiary' limit 1) as beneficiary
  from resource w where w.kind = 'wallet';
create unique index on owner (n);

create unlogged table copy as
  select g.n, $NOW::bigint - ($ROWS - g.n) * (7776000000 / $ROWS) as at, o.merchant_id, o.wallet, o.customer, o.beneficiary,
    case when g.n % 100 < 3 then 'failed' when g.n % 5000 = 4 then 'processing' else 'success' end as status,
    (1000 + g.n / 24)::text::xid8 as xid,
    pg_temp.stem($NOW::bigint - ($ROWS - g.n) * (7776000000 / $ROWS), g.n) as stem
  from (
    select n, case
      when n % 10 < 6 then 0
      when n % 10 < 7 then n / 10 % (select count(*) from owner where merchant_id = '$MERCHANT')
      else n % (select count(*) from owner) end as o
    from generate_series(1, $ROWS) n
  ) g join owner o on o.n = g.o;

create temp table template as
  select t.*, t.data as body, t.data::json ->> 'wallet_id' as wallet, t.data::json ->> 'beneficiary_id' as beneficiary,
    substr(t.id, 5) as stem from resource t where t.id = '$TEMPLATE';

insert into resource (merchant_id, kind, id, version, machine, state, status, customer_id, root_id, created_at, updated_at,
  hidden, event_count, index_keys, data)
select c.merchant_id, t.kind, 'tfr_' || c.stem, t.version, t.machine, c.status, c.status, c.customer, null, c.at, c.at + 900,
  false, t.event_count,
  array['status=' || c.status, 'customer_id=' || c.customer, 'wallet_id=' || c.wallet, 'reference=ref-' || c.stem,
    'type=transfer', 'source_type=transfer', 'source_currency=USDC'],
  replace(replace(replace(t.body, t.stem, c.stem), t.wallet, c.wallet), t.beneficiary, c.beneficiary)
from copy c cross join template t;

insert into transition (merchant_id, resource_id, kind, version, from_state, to_state, via, cause, event_count, at, created_at)
select c.merchant_id, 'tfr_' || c.stem, x.kind, x.version, x.from_state, x.to_state, x.via,
  'key/' || c.stem, x.event_count, c.at + x.version * 100, c.at
from copy c cross join (select * from transition where resource_id = '$TEMPLATE') x;

insert into key_entry (created_at, key, merchant_id, id)
select c.at, corridor_entry_key(c.merchant_id, 'transfer', w.index_key), c.merchant_id, 'tfr_' || c.stem
from copy c cross join lateral (values ('customer_id=' || c.customer), ('wallet_id=' || c.wallet)) w(index_key);

insert into posting (merchant_id, resource_id, version, debit, credit, amount, currency, at, xid)
select c.merchant_id, 'tfr_' || c.stem, p.version, replace(p.debit, t.wallet, c.wallet),
  replace(p.credit, t.wallet, c.wallet), p.amount, p.currency, c.at, c.xid
from copy c cross join template t
cross join (select * from posting where resource_id = '$TEMPLATE') p;

insert into event (merchant_id, id, object_id, sequence, type, category, created_at, body, xid)
select c.merchant_id, 'evt_' || substr(c.stem, 1, 25) || e.sequence, 'tfr_' || c.stem, e.sequence, e.type, e.category,
  c.at + e.sequence, replace(replace(e.body, t.stem, c.stem), t.wallet, c.wallet), c.xid
from copy c cross join template t cross join (select * from event where object_id = '$TEMPLATE') e;

insert into unique_key (merchant_id, scope, key, owner)
select c.merchant_id, 'reference', 'ref-' || c.stem, 'tfr_' || c.stem from copy c;

-- Other kinds have as many rows as their page 1,000 needs.
insert into resource (merchant_id, kind, id, version, machine, state, status, customer_id, root_id, created_at, updated_at,
  hidden, event_count, index_keys, data)
select case when k.kind in ('exception', 'access_request', 'merchant') then c.merchant_id else '$MERCHANT' end, k.kind,
  k.prefix || '_' || c.stem, 1, '1', k.status, k.status, c.customer, null, c.at, c.at, false, 1,
  array['status=' || k.status, 'customer_id=' || c.customer] || k.index_keys, '{}'
from copy c cross join (values
  ('offramp', 'ofr', 'success', array['wallet_id=wal_o', 'type=offramp', 'source_type=offramp', 'source_currency=USDC']),
  ('onramp', 'onr', 'success', array['wallet_id=wal_o', 'type=onramp', 'source_type=onramp', 'source_currency=NGN']),
  ('conversion', 'con', 'success', array['wallet_id=wal_o', 'type=conversion', 'source_type=conversion', 'source_currency=USDC']),
  ('deposit', 'dep', 'held', array['state=held', 'wallet_id=wal_o', 'type=deposit', 'source_type=credential', 'source_currency=USDC']),
  ('customer', 'cust', 'active', array['type=individual', 'kyc_status=approved']),
  ('wallet', 'wal', 'active', array['currency=USDC']),
  ('beneficiary', 'ben', 'active', array['type=bank', 'currency=NGN']),
  ('wallet_credential', 'wcr', 'active', array['wallet_id=wal_o', 'currency=USD']),
  ('deposit_address', 'da', 'active', array['wallet_id=wal_o']),
  ('access_request', 'rar', 'pending', array['resource_id=cur_x']),
  ('exception', 'exc', 'open', array[]::text[]),
  ('merchant', 'mer', 'active', array[]::text[])
) k(kind, prefix, status, index_keys)
where c.n % greatest(1, $ROWS / 51000) = 0;
insert into key_entry (created_at, key, merchant_id, id)
select r.created_at, corridor_entry_key(r.merchant_id, r.kind, w.index_key), r.merchant_id, r.id
from resource r cross join lateral unnest(r.index_keys) w(index_key)
where r.kind <> 'transfer' and r.data::text = '{}' and corridor_is_id_key(w.index_key);

-- The list counters of everything, and the mark after it.
truncate list_counter, balance;
insert into list_counter (merchant_id, kind, index_key, bucket, n)
select r.merchant_id, r.kind, w.index_key, corridor_bucket(w.index_key, r.created_at) as bucket, count(*)
from resource r cross join lateral unnest(r.index_keys || array['', ':' || r.status]) w(index_key)
where not r.hidden and corridor_bucket(w.index_key, r.created_at) is not null group by 1, 2, 3, 4;
insert into list_counter (merchant_id, kind, index_key, bucket, n)
select e.merchant_id, '@event', w.index_key, e.created_at / 3600000, count(*)
from event e cross join lateral (values (''), ('category=' || e.category), ('type=' || e.type)) w(index_key) group by 1, 2, 3, 4;
insert into list_counter (merchant_id, kind, index_key, bucket, n)
select p.merchant_id, '@posting', w.account, corridor_place(p.xid) as bucket, count(*)
from posting p cross join lateral (select p.debit union select p.credit) w(account)
where corridor_owner(w.account) is null group by 1, 2, 3, 4;
update account a set entries = n from (
  select p.merchant_id, w.account, p.currency, count(*) as n
  from posting p cross join lateral (select p.debit union select p.credit) w(account)
  where corridor_owner(w.account) is not null group by 1, 2, 3
) c where a.merchant_id = c.merchant_id and a.account = c.account and a.currency = c.currency;
insert into balance (merchant_id, account, currency, amount)
select merchant_id, account, currency, sum(amount) from (
  select merchant_id, debit as account, currency, -amount as amount from posting
  union all select merchant_id, credit, currency, amount from posting
) x where corridor_owner(account) is null group by 1, 2, 3;
insert into setting (key, value) values ('list_counter.mark', pg_snapshot_xmax(pg_current_snapshot())::text)
on conflict (key) do update set value = excluded.value;
drop table copy;
