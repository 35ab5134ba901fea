import { fill, type Locale, type Phrase, phrase } from './phrases.ts'

/**
 * Friendly texts for values that fail validation (spec section 5). `{field}`, `{type}`, `{limit}` are filled in.
 * The keys travel as `code` of a field fault, so that each screen can show the reader's language.
 */
export const FAULTS = {
  required: phrase("The '{field}' field is required.", "O campo '{field}' é obrigatório."),
  wrong_type: phrase(
    'Please provide a valid {type} for the field.',
    'Informe um valor válido do tipo {type} para o campo.',
  ),
  not_allowed: phrase("'{field}' is not a known field.", "'{field}' não é um campo conhecido."),
  not_an_option: phrase('Must be one of: {options}.', 'Deve ser um destes: {options}.'),
  too_short: phrase('Characters: at least {limit}.', 'Caracteres: no mínimo {limit}.'),
  too_long: phrase('Characters: at most {limit}.', 'Caracteres: no máximo {limit}.'),
  too_few: phrase('Items: at least {limit}.', 'Itens: no mínimo {limit}.'),
  too_many: phrase('Items: at most {limit}.', 'Itens: no máximo {limit}.'),
  too_small: phrase('Must be at least {limit}.', 'Deve ser no mínimo {limit}.'),
  too_big: phrase('Must be at most {limit}.', 'Deve ser no máximo {limit}.'),
  not_unique: phrase('Must not contain duplicates.', 'Não pode conter repetições.'),
  same_identity: phrase(
    'App {value} has this issuer and audience already.',
    'O aplicativo {value} já tem este emissor e este público.',
  ),
  not_a_token: phrase(
    'Paste an id token (three parts with dots) or its claims as JSON, with a “sub”.',
    'Cole um token de identidade (três partes com pontos) ou suas declarações em JSON, com um “sub”.',
  ),
  invalid: phrase('The value is not valid.', 'O valor não é válido.'),
  not_text: phrase('Must be text in UTF-8.', 'Deve ser texto em UTF-8.'),
  schedule: phrase(
    'Must be a valid cron or rate expression, or empty.',
    'Deve ser uma expressão cron ou rate válida, ou vazia.',
  ),
  schedule_never: phrase(
    'Never runs: none of its dates is to come.',
    'Nunca é executada: nenhuma de suas datas virá.',
  ),
  leading_slash: phrase("Must start with a leading slash '/'.", "Deve começar com uma barra '/'."),
  email: phrase('Must be a valid email address.', 'Deve ser um endereço de e-mail válido.'),
  sftp_reference: phrase(
    "Only alphanumeric characters and '_.-' are allowed.",
    "Só são permitidos caracteres alfanuméricos e '_.-'.",
  ),
  transfer_config_reference: phrase(
    "Only alphanumeric characters and ':/-' are allowed.",
    "Só são permitidos caracteres alfanuméricos e ':/-'.",
  ),
  transfer_role: phrase(
    'A transfer can deliver nothing of this as this role: it needs the downloads and metadata of these types, from any network.',
    'Com esta função uma transferência não pode entregar nada disso: ela precisa dos downloads e metadados desses tipos, de qualquer rede.',
  ),
  pgp_key: phrase(
    'Must be a valid PGP key (public key block).',
    'Deve ser uma chave PGP válida (bloco de chave pública).',
  ),
  device_reference: phrase(
    "Cannot start with any of ' ,+#/:' and cannot include ',+#/:'.",
    "Não pode começar com ' ,+#/:' nem conter ',+#/:'.",
  ),
  no_leading_space_or_comma: phrase(
    'Cannot start with a leading space and cannot contain a comma.',
    'Não pode começar com espaço nem conter vírgula.',
  ),
  simple_name: phrase(
    'No special characters apart from -_.!() and spaces, no leading or trailing space.',
    'Sem caracteres especiais além de -_.!() e espaços, sem espaço no início ou no fim.',
  ),
  cidr: phrase('Must be a valid CIDR range.', 'Deve ser um intervalo CIDR válido.'),
  iso_date: phrase('Must be a date like 1999-01-01.', 'Deve ser uma data como 1999-01-01.'),
  date_parameter: phrase(
    'Must be a date like 1999-01-01 or 1999-01-01-165000.',
    'Deve ser uma data como 1999-01-01 ou 1999-01-01-165000.',
  ),
  iso_timestamp: phrase('Must be an ISO-formatted date.', 'Deve ser uma data no formato ISO.'),
  https_address: phrase('Must start with https://', 'Deve começar com https://'),
  iam_arn: phrase('Must be a valid AWS IAM ARN.', 'Deve ser um ARN do AWS IAM válido.'),
  s3_address: phrase('Must start with s3://', 'Deve começar com s3://'),
  s3_bucket: phrase(
    'The name of an S3 bucket has 3 to 63 characters: lower-case letters, digits, dots and hyphens.',
    'O nome de um bucket do S3 tem de 3 a 63 caracteres: letras minúsculas, dígitos, pontos e hifens.',
  ),
  body_required: phrase('The request needs a body in JSON.', 'A requisição precisa de um corpo em JSON.'),
  phone_number: phrase(
    'Must be a phone number with country code, or a short code.',
    'Deve ser um número de telefone com código do país, ou um código curto.',
  ),
  imei: phrase('Must have exactly 15 digits.', 'Deve ter exatamente 15 dígitos.'),
  client_reference: phrase(
    'Only lower-case letters, digits and hyphens are allowed, beginning with a letter or digit.',
    'Só são permitidos letras minúsculas, dígitos e hifens, começando com letra ou dígito.',
  ),
  reference: phrase(
    'Only letters, digits, dash and underscore are allowed.',
    'Só são permitidos letras, dígitos, hífen e sublinhado.',
  ),
  enrolment: phrase(
    'Must be the reference and the secret of an enrolment.',
    'Deve ser a referência e o segredo de um cadastro.',
  ),
  ulid: phrase(
    'Must be a reference of 26 characters: digits, and capital letters without I, L, O and U.',
    'Deve ser uma referência de 26 caracteres: dígitos e letras maiúsculas sem I, L, O e U.',
  ),
  iv: phrase('Must be 12 bytes in base64.', 'Deve ser de 12 bytes em base64.'),
  base64: phrase('Must be base64.', 'Deve estar em base64.'),
  checksum: phrase(
    'Must be a SHA-256 in 64 hexadecimal digits.',
    'Deve ser um SHA-256 em 64 dígitos hexadecimais.',
  ),
  pattern_empty: phrase('A pattern cannot be empty.', 'Um padrão não pode ser vazio.'),
  pattern_too_long: phrase(
    'A pattern can have at most {limit} characters.',
    'Um padrão pode ter no máximo {limit} caracteres.',
  ),
  pattern_invalid: phrase(
    'This is not a valid regular expression.',
    'Esta não é uma expressão regular válida.',
  ),
  pattern_too_complex: phrase(
    'This regular expression is too complex.',
    'Esta expressão regular é complexa demais.',
  ),
  too_many_patterns: phrase(
    'A permission can have at most {limit} patterns, its conditions included.',
    'Uma permissão pode ter no máximo {limit} padrões, incluindo suas condições.',
  ),
  too_many_patterns_in_role: phrase(
    'A role can have at most {limit} patterns in all.',
    'Uma função pode ter no máximo {limit} padrões no total.',
  ),
  no_patterns: phrase(
    'A condition needs group names, tag keys or tag values.',
    'Uma condição precisa de nomes de grupos, chaves ou valores de etiquetas.',
  ),
  matches_no_action: phrase('This matches no action.', 'Isto não corresponde a nenhuma ação.'),
  unknown_reference: phrase('There is no such item: {value}.', 'Não existe este item: {value}.'),
  ambiguous_serial_number: phrase(
    'Several devices with this serial number wait: name one by its reference.',
    'Vários dispositivos com este número de série aguardam: indique um pela referência.',
  ),
  beyond_recording: phrase(
    'The recording ends at {limit} seconds.',
    'A gravação termina em {limit} segundos.',
  ),
  nothing_played: phrase(
    'There is no recording here of which a part could be meant.',
    'Não há aqui uma gravação da qual se possa indicar um trecho.',
  ),
  wrong_code: phrase(
    'This is not the code that was mailed last, or it is too old.',
    'Este não é o último código enviado, ou é antigo demais.',
  ),
  email_taken: phrase(
    'Another device user who is onboarded has this address.',
    'Outro usuário de dispositivo ativo tem este endereço.',
  ),
  tag_repeated: phrase(
    'The group has this tag already. It has one value.',
    'O grupo já tem esta etiqueta. Ela tem um só valor.',
  ),
  tag_missing: phrase('The required tag {value} is missing.', 'Falta a etiqueta obrigatória {value}.'),
  tag_value: phrase(
    'The value {value} is not allowed for this tag.',
    'O valor {value} não é permitido para esta etiqueta.',
  ),
  may_not_mend: phrase(
    'Your roles do not let you change {count} of the groups that do not fit.',
    'Suas funções não permitem que você altere {count} dos grupos que não atendem.',
  ),
  default_not_in_values: phrase(
    'The default must be one of the allowed values.',
    'O valor padrão deve ser um dos valores permitidos.',
  ),
  values_empty: phrase(
    'A required tag needs at least one allowed value.',
    'Uma etiqueta obrigatória precisa de pelo menos um valor permitido.',
  ),
  law_of_kind: phrase('Nobody asks for that by this law.', 'Por esta lei ninguém pede isso.'),
  received_when: phrase(
    'Must be a time within the last {limit} days.',
    'Deve ser um momento dentro dos últimos {limit} dias.',
  ),
  due_when: phrase(
    'Must lie between the receipt and the latest day that the law allows.',
    'Deve estar entre o recebimento e o último dia que a lei permite.',
  ),
  expiry_in_past: phrase('The time must lie in the future.', 'O momento deve estar no futuro.'),
  expiry_too_late: phrase(
    'Not later than requested, and at most {limit} days from now.',
    'Não depois do solicitado e no máximo {limit} dias a partir de agora.',
  ),
  expiry_too_far: phrase('At most {limit} days from now.', 'No máximo {limit} dias a partir de agora.'),
  control_character: phrase(
    'Line breaks and other control characters are not allowed here.',
    'Quebras de linha e outros caracteres de controle não são permitidos aqui.',
  ),
  name_of_a_page: phrase(
    'A page of the portal has this name: choose another.',
    'Uma página do portal tem este nome: escolha outro.',
  ),
  reserved_name: phrase(
    'A name cannot end in (support), (app) or (provider).',
    'Um nome não pode terminar em (support), (app) ou (provider).',
  ),
  license_exceeded: phrase('No licences are left for: {value}.', 'Não há mais licenças para: {value}.'),
  group_reserved: phrase(
    'The group of this name is kept for what waits for confirmation: choose another name.',
    'O grupo com este nome é reservado ao que aguarda confirmação: escolha outro nome.',
  ),
  self_approval: phrase('Nobody approves a request of their own.', 'Ninguém aprova a própria solicitação.'),
  address_forbidden: phrase(
    'This address cannot be used: it is not public.',
    'Este endereço não pode ser usado: ele não é público.',
  ),
  address_unreachable: phrase(
    'This address does not answer as expected.',
    'Este endereço não responde como esperado.',
  ),
  no_sms_gateway: phrase(
    'This installation has no number to which phones could send a code: its operator sets SMS_GATEWAY_NUMBER.',
    'Esta instalação não tem um número para o qual os telefones possam enviar um código: o operador define SMS_GATEWAY_NUMBER.',
  ),
  words_missing: phrase(
    'Type a word of two letters or more that is not one of the most common.',
    'Digite uma palavra de duas letras ou mais que não seja das mais comuns.',
  ),
  words_many: phrase('Words: at most {limit}.', 'Palavras: no máximo {limit}.'),
  prefix_short: phrase(
    'The beginning of a word needs {limit} letters before the *.',
    'O começo de uma palavra precisa de {limit} letras antes do *.',
  ),
  prefix_several: phrase('Only one word may end in *.', 'Só uma palavra pode terminar em *.'),
  prefix_wide: phrase(
    'Too many words begin so. Type one more letter before the *.',
    'Palavras demais começam assim. Digite mais uma letra antes do *.',
  ),
  not_as_in_path: phrase('The address of the call names another one.', 'O endereço da chamada indica outro.'),
  days_missing: phrase(
    'Say after how many days it is to be deleted, destroyed or both.',
    'Informe após quantos dias deve ser excluído, destruído ou ambos.',
  ),
  below_minimum: phrase('Not before {limit} days: {basis}.', 'Não antes de {limit} dias: {basis}.'),
  minimum_lowered: phrase(
    'A legal minimum rises, and never falls or goes: it is {limit} days.',
    'Um mínimo legal sobe, e nunca desce nem é removido: é de {limit} dias.',
  ),
  requires_default: phrase(
    'A required tag needs a default value.',
    'Uma etiqueta obrigatória precisa de um valor padrão.',
  ),
} as const satisfies Record<string, Phrase>
export type FaultCode = keyof typeof FAULTS

/** What the types of a schema are called in `wrong_type`; others keep their names. */
const TYPE_NAMES: Readonly<Record<string, Phrase>> = {
  int: phrase('whole number', 'número inteiro'),
  number: phrase('number', 'número'),
  string: phrase('text', 'texto'),
  boolean: phrase('true or false value', 'verdadeiro ou falso'),
  array: phrase('list', 'lista'),
  object: phrase('object', 'objeto'),
  record: phrase('object', 'objeto'),
}

/** The text of a fault in a language, its values filled in. */
export function faultPhrase(
  code: FaultCode,
  values: Readonly<Record<string, string | number>>,
  locale: Locale,
): string {
  const type = TYPE_NAMES[String(values.type)]
  return fill(FAULTS[code][locale], type ? { ...values, type: type[locale] } : values)
}
