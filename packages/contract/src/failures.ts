import type { FailureCode } from './payload-types.ts'
import { type Phrase, phrase } from './phrases.ts'

/** What each failure means and what happens next, for the people who read it. */
export const FAILURES: Readonly<Record<FailureCode, Phrase>> = {
  wrong_checksum: phrase(
    'The uploaded bytes do not match the checksum that the phone announced. The phone still has its copy and sends it again.',
    'Os bytes enviados não correspondem à soma de verificação anunciada pelo telefone. O telefone ainda tem sua cópia e a envia novamente.',
  ),
  wrong_size: phrase(
    'The upload does not have the announced size. The phone still has its copy and sends it again.',
    'O envio não tem o tamanho anunciado. O telefone ainda tem sua cópia e a envia novamente.',
  ),
  undecryptable_key: phrase(
    'The key of this recording cannot be opened with the key of this client. The sealed bytes are kept.',
    'A chave desta gravação não pode ser aberta com a chave deste cliente. Os bytes cifrados são mantidos.',
  ),
  undecryptable_meta: phrase(
    'The sealed metadata cannot be opened or was altered. The sealed bytes are kept.',
    'Os metadados cifrados não podem ser abertos ou foram alterados. Os bytes cifrados são mantidos.',
  ),
  tampered_data: phrase(
    'The recording was altered after the phone sealed it. Nothing of it is released; the sealed bytes are kept.',
    'A gravação foi alterada depois que o telefone a cifrou. Nada dela é liberado; os bytes cifrados são mantidos.',
  ),
  truncated_data: phrase(
    'The end of the recording is missing. The sealed bytes are kept.',
    'O final da gravação está faltando. Os bytes cifrados são mantidos.',
  ),
  malformed_meta: phrase(
    'The metadata does not have the form that this payload type requires. The sealed bytes are kept.',
    'Os metadados não têm a forma exigida por este tipo de registro. Os bytes cifrados são mantidos.',
  ),
  meta_mismatch: phrase(
    'The sealed metadata names another recording than the phone announced. The sealed bytes are kept.',
    'Os metadados cifrados indicam outra gravação que não a anunciada pelo telefone. Os bytes cifrados são mantidos.',
  ),
  malformed_message: phrase(
    'The message cannot be read: it is not a message document. The sealed bytes are kept.',
    'A mensagem não pode ser lida: não é um documento de mensagem. Os bytes cifrados são mantidos.',
  ),
  processing_crashed: phrase(
    'Reading the content of this recording ended the program that reads it, several times. It is not tried again; the sealed bytes are kept.',
    'Ler o conteúdo desta gravação encerrou, várias vezes, o programa que o lê. Não há nova tentativa; os bytes cifrados são mantidos.',
  ),
  malware_found: phrase(
    'The malware scanner found a threat. The data is locked away until someone decides.',
    'O verificador encontrou uma ameaça. Os dados ficam bloqueados até que alguém decida.',
  ),
  scan_limit_exceeded: phrase(
    'The data is larger or more deeply packed than the malware scanner can check. It is locked away until someone decides.',
    'Os dados são maiores ou mais compactados do que o verificador consegue examinar. Ficam bloqueados até que alguém decida.',
  ),
}
