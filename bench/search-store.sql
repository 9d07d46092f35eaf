-- Movements and customers for `node bench/search.ts`: $ROWS movements of 200 merchants over 30 days, with the index keys that
-- the engine gives them, and a tenth as many customers. Half of all belongs to one merchant, and every tenth movement has the
-- same amount.
create temp table copy as
  select n, $NOW::bigint - n * (2592000000 / $ROWS) as at, lpad(n::text, 26, '0') as stem,
    'mer_' || lpad((case when n % 2 = 0 then 0 else n % 200 end)::text, 26, '0') as merchant_id,
    'cust_' || lpad((n % greatest(1, $ROWS / 10))::text, 26, '0') as customer,
    case when n % 5 < 3 then 'transfer' else 'offramp' end as kind,
    case when n % 100 < 3 then 'failed' when n % 1000 = 4 then 'processing' else 'success' end as status,
    case when n % 3 = 0 then 'bank' else 'simulated' end as provider,
    case when n % 10 = 0 then 100 else 1 + n % 5000 end as amount,
    -- Half of all take less than two minutes, and a few take days.
    floor(exp(2 + 8 * power(random(), 3)) * 10)::integer as seconds
  from generate_series(1, $ROWS) n;

insert into resource (merchant_id, kind, id, version, machine, state, status, customer_id, root_id, created_at, updated_at,
  hidden, event_count, index_keys, data)
select c.merchant_id, c.kind, case c.kind when 'transfer' then 'tfr_' else 'ofr_' end || c.stem, 3, '1', c.status, c.status,
  c.customer, null, c.at, c.at + c.seconds * 1000, false, 2,
  array['status=' || c.status, 'customer_id=' || c.customer, 'type=' || c.kind, 'source_type=' || c.kind,
    'source_currency=USDC', 'reference=INV/' || c.n, 'provider=' || c.provider,
    'measured=' || c.amount || '000000|' || case when c.status = 'success' then (c.seconds >> k.bits) << k.bits else -1 end || '|'
      || case c.status when 'success' then 'succeeded' when 'failed' then 'failed' else 'open' end
      || case c.kind when 'transfer' then '|USDC-USDC|' else '|USDC-NGN|' end || c.provider
      || case c.status when 'failed' then '|failed|' else '||' end || 'USDC',
    'exact_id=reference:inv/' || c.n, 'exact_id=transaction_hash:0x' || md5(c.n::text),
    'exact_id=amount:' || c.amount || ':USDC']
    || case c.kind when 'offramp' then array['exact_id=amount:' || c.amount * 1500 || ':NGN'] else '{}' end,
  json_build_object('reference', 'INV/' || c.n, 'amount', c.amount || '000000', 'currency', 'USDC', 'provider', c.provider,
    'source_amount', c.amount || '000000', 'source_currency', 'USDC', 'quoted_received_amount', c.amount * 150000,
    'destination_currency', 'NGN')::text
from copy c cross join lateral (select greatest(0, floor(log(2, greatest(1, c.seconds)))::integer - 6) as bits) k;

create temp table person as
  select n, first, last from (
    select n, (array['ada', 'adaeze', 'bisi', 'chidi', 'amina', 'kofi', 'musa', 'ngozi', 'zainab', 'tunde'])[1 + n % 10] as first,
      (array['obi', 'bello', 'okafor', 'mensah', 'diallo', 'kamau', 'eze', 'sow', 'yusuf', 'adeyemi'])[1 + n / 10 % 10]
        || chr(97 + n / 100 % 26) || chr(97 + n / 2600 % 26) as last
    from generate_series(0, greatest(1, $ROWS / 10) - 1) n
  ) x;
insert into resource (merchant_id, kind, id, version, machine, state, status, customer_id, root_id, created_at, updated_at,
  hidden, event_count, index_keys, data)
select 'mer_' || lpad((p.n % 200)::text, 26, '0'), 'customer', 'cust_' || lpad(p.n::text, 26, '0'), 1, '1', 'active', 'active',
  'cust_' || lpad(p.n::text, 26, '0'), null, $NOW::bigint - p.n * 1000, $NOW::bigint - p.n * 1000, false, 0,
  array['status=active', 'type=individual', 'kyc_status=approved', 'search_id=name:' || p.first || ' ' || p.last,
    'search_id=name:' || p.last || ' ' || p.first, 'search_id=email:' || p.first || p.n || '@example.com'],
  json_build_object('type', 'individual', 'name', p.first || ' ' || p.last, 'email', p.first || p.n || '@example.com',
    'merchant_reference', null)::text
from person p;

insert into search_entry (merchant_id, kind, index_key, created_at, id)
select r.merchant_id, r.kind, w.index_key, r.created_at, r.id from resource r cross join lateral unnest(r.index_keys) w(index_key)
where corridor_is_id_key(w.index_key) and starts_with(w.index_key, 'search_id=');
insert into key_entry (created_at, key, term, merchant_id, id)
select r.created_at, corridor_entry_key(r.merchant_id, r.kind, w.index_key), corridor_entry_term(r.kind, w.index_key), r.merchant_id, r.id
from resource r cross join lateral unnest(r.index_keys) w(index_key)
where corridor_is_id_key(w.index_key) and not starts_with(w.index_key, 'search_id=');

insert into list_counter (merchant_id, kind, index_key, bucket, n)
select r.merchant_id, r.kind, w.index_key, corridor_bucket(w.index_key, r.created_at) as bucket, count(*)
from resource r cross join lateral unnest(r.index_keys || array['', ':' || r.status]) w(index_key)
where corridor_bucket(w.index_key, r.created_at) is not null group by 1, 2, 3, 4;

insert into measure (merchant_id, step, kind, bucket, tags, seconds, n, amount)
select s.merchant_id, s.step, x.kind, x.hour - x.hour % s.step, x.tags, x.seconds, sum(x.n), sum(x.amount)
from (
  select r.merchant_id, r.kind, (r.created_at / 3600000)::integer as hour, corridor_measure_tags(w.index_key) as tags,
    corridor_measure_seconds(w.index_key) as seconds, count(*) as n, sum(corridor_measure_amount(w.index_key)) as amount
  from resource r cross join lateral unnest(r.index_keys) w(index_key) where corridor_is_measure(w.index_key)
  group by 1, 2, 3, 4, 5
) x cross join lateral (values (x.merchant_id, 1), (x.merchant_id, 24), ('', 1), ('', 24)) s(merchant_id, step)
group by 1, 2, 3, 4, 5, 6;

insert into account (merchant_id, account, currency, balance, version, entries)
select 'mer_' || lpad((n % 200)::text, 26, '0'), a.class || lpad(n::text, 26, '0'), 'USDC', n, 1, 1
from generate_series(1, greatest(1, $ROWS / 10)) n cross join (values ('available:wal_'), ('reserved:wal_')) a(class);
