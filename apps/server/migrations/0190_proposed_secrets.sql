-- What is secret of a proposed act, sealed as it will be kept: told to nobody, and gone once the proposal has ended.
alter table proposals add column sealed jsonb check (sealed is null or state in ('waiting', 'expired'));
grant update (sealed) on proposals to custodia_app;
