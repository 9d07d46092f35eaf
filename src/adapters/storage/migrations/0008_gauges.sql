-- For the gauges of the metrics. Neither index has an entry for a job or a row that is written for the first time on a
-- usual path: a delivery enters the first when its first attempt has failed.

create index job_retried on job (queue, created_at)
  where status = 'pending' and left(queue, 8) = 'delivery' and log <> '[]';
create index balance_account on balance (account);
