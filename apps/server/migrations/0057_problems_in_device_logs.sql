-- Whoever looks for what went wrong finds a few among very many: of all phones, warnings and errors have an index of their own.
create index device_logs_problems on device_logs (client_id, log_level, log_datetime desc, row_id desc) where log_level in ('WARN', 'ERROR');
