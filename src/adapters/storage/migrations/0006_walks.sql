-- What may have grown for days, and is then read as a whole, is read in the order of its ids, each page after the last id of the one before.

-- The deliveries that an endpoint did not get. A job enters it when it ends.
create index job_failed on job (merchant_id, partition_key, id) where status = 'failed';
-- The jobs that an obstacle blocks. Their bodies name it.
create index job_parked on job (merchant_id, id) where status = 'pending' and strpos(body, '"parked":') > 0;
