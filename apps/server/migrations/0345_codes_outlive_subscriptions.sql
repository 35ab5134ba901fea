-- How many codes somebody had mailed within a day is counted for the person: whoever ended a subscription and made another began anew, and
-- could have any number mailed to strangers. Of an ended subscription the times of its codes stay for that day, and no address.
alter table alert_address_checks
  alter column subscription_id drop not null,
  add column user_reference text;
update alert_address_checks c set user_reference = s.user_reference
  from alert_subscriptions s where s.client_id = c.client_id and s.subscription_id = c.subscription_id;
alter table alert_address_checks
  alter column user_reference set not null,
  drop constraint alert_address_checks_client_id_subscription_id_fkey,
  add foreign key (client_id, subscription_id) references alert_subscriptions on delete set null (subscription_id);
create index alert_address_checks_of_person on alert_address_checks (client_id, user_reference, asked_at);
grant update (address) on alert_address_checks to custodia_app;
