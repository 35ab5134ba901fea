-- Both people who delete a client are signed-in people of the provider: the commands on the server take no half of it.
update clients set deletion_proposed_at = null, deletion_proposed_by = null
where deleted_at is null and deletion_proposed_by not like '% (provider)';
alter table clients
  add check (deleted_at is not null or deletion_proposed_by is null or deletion_proposed_by like '% (provider)');
