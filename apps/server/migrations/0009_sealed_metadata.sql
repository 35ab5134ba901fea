-- What the phone sealed stays sealed: the metadata is opened from payload_envelopes.sealed_meta when somebody reads the payload. A document
-- keeps what lists show. Documents of before still hold a copy in the clear, until the job payloads.seal_documents has emptied it.
alter table payload_documents alter column meta drop not null;
-- Empty once that is done, and then costs nothing.
create index payload_documents_clear on payload_documents (client_id, payload_id) where meta is not null;

-- What the phone said, where it lies more than a day ahead: payload_time is then the second at which it was announced, so that nothing stands
-- first in every list for ever.
alter table payloads add column claimed_time bigint;
