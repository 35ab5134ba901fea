import type { FailureCode } from './payload-types.ts'
import { type Phrase, phrase } from './phrases.ts'

/** Meaning and next step of each failure, for users. */
export const FAILURES: Readonly<Record<FailureCode, Phrase>> = {
  wrong_checksum: phrase(
    'The upload does not match the checksum announced by the phone. The phone still has its copy and sends it again.',
    'O envio não corresponde à soma de verificação anunciada pelo telefone. O telefone mantém sua cópia e a reenvia.',
  ),
  wrong_size: phrase(
    'The upload does not have the announced size. The phone still has its copy and sends it again.',
    'O envio não tem o tamanho anunciado. O telefone mantém sua cópia e a reenvia.',
  ),
  undecryptable_key: phrase(
    'The client’s key cannot open the key of this recording. The sealed data is kept.',
    'A chave do cliente não abre a chave desta gravação. Os dados lacrados são mantidos.',
  ),
  undecryptable_meta: phrase(
    'The sealed metadata cannot be opened or was altered. The sealed data is kept.',
    'Os metadados lacrados não podem ser abertos ou foram alterados. Os dados lacrados são mantidos.',
  ),
  tampered_data: phrase(
    'The recording was altered after the phone sealed it. It is not released; the sealed data is kept.',
    'A gravação foi alterada depois de lacrada pelo telefone. Ela não é liberada; os dados lacrados são mantidos.',
  ),
  truncated_data: phrase('The end of the recording is missing. The sealed data is kept.', 'Falta o final da gravação. Os dados lacrados são mantidos.'),
  malformed_meta: phrase(
    'The metadata does not match this payload type. The sealed data is kept.',
    'Os metadados não correspondem a este tipo de registro. Os dados lacrados são mantidos.',
  ),
  meta_mismatch: phrase(
    'The sealed metadata names a different recording than announced. The sealed data is kept.',
    'Os metadados lacrados indicam gravação diferente da anunciada. Os dados lacrados são mantidos.',
  ),
  malformed_message: phrase(
    'The message is not a valid message document. The sealed data is kept.',
    'A mensagem não é um documento de mensagem válido. Os dados lacrados são mantidos.',
  ),
  processing_crashed: phrase(
    'The content crashed its reader several times. It is not tried again; the sealed data is kept.',
    'O conteúdo interrompeu várias vezes o programa de leitura. Não há nova tentativa; os dados lacrados são mantidos.',
  ),
  malware_found: phrase(
    'The malware scanner found a threat. The data stays in quarantine.',
    'O antivírus encontrou uma ameaça. Os dados permanecem em quarentena.',
  ),
  scan_limit_exceeded: phrase(
    'The data is too large or too deeply packed for the malware scanner. It stays in quarantine.',
    'Os dados são grandes ou compactados demais para o antivírus. Permanecem em quarentena.',
  ),
}
