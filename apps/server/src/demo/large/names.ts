// Names of the large demo's people, and the branches that they belong to.

const list = (names: string): readonly string[] => names.split(/\s+/)

/** Names of a country. */
interface Names {
  first: readonly string[]
  last: readonly string[]
}

/** Names of people in Britain. */
export const BRITISH: Names = {
  first:
    list(`Olivia Amelia Isla Ava Ivy Freya Lily Florence Mia Willow Rosie Sophia Isabella Grace Daisy Sienna Poppy
    Elsie Emily Ella Evelyn Phoebe Evie Charlotte Harper Millie Matilda Maya Sophie Alice Aisha Fatima Priya Anjali Zainab
    Chloe Niamh Siobhan Megan Rhiannon Noah Oliver George Arthur Muhammad Leo Harry Oscar Archie Henry Theodore Freddie Jack
    Charlie Theo Alfie Jacob Thomas Finley Arlo William Lucas Roman Tommy Isaac Teddy Alexander Luca Edward James Joshua
    Albie Elijah Max Mohammed Reuben Mason Sebastian Rory Hamish Callum Ewan Rhys Dylan Gareth Arjun Rohan Kwame Tunde Wei
    Kofi Dominic Fergus Angus`),
  last: list(`Smith Jones Taylor Brown Williams Wilson Johnson Davies Patel Robinson Wright Thompson Evans Walker White Roberts
    Green Hall Wood Jackson Clarke Khan Lewis James Phillips Harrison Scott Edwards Turner Hughes Parker Cooper Morris
    Ward Moore Clark Lee King Baker Harris Allen Morgan Anderson Begum Hill Ahmed Campbell Stewart MacDonald Murray Ross
    Fraser Hamilton Kerr Sinclair Boyd Rees Powell Price Griffiths Owen Okafor Mensah Adeyemi Osei Chowdhury Rahman
    Iqbal Sharma Singh Kaur Nair Reddy Chen Wong Cheung Nguyen Kowalski Nowak Ferreira Rossi Doyle Byrne Gallagher
    Kavanagh Sweeney Whitfield Ashworth Hargreaves Pemberton Blackwood Fairchild Holloway Lockwood Penrose Trelawny
    Thistlewood Ravenscroft Wetherby O'Connor O'Neill Fitzgerald`),
}

/** Names of people in Brazil. */
export const BRAZILIAN: Names = {
  first:
    list(`Helena Alice Laura Valentina Heloísa Manuela Sophia Isabella Cecília Lorena Júlia Luísa Beatriz Mariana Lívia
    Giovanna Yasmin Antônia Clara Letícia Camila Fernanda Patrícia Adriana Juliana Aline Bruna Vanessa Renata Débora Tatiane
    Simone Conceição Rosângela Jussara Iracema Miguel Arthur Heitor Bernardo Davi Théo Gabriel Samuel Pedro Lorenzo Lucas
    Matheus Benjamin Nicolas Guilherme Rafael Joaquim Enzo Gustavo Murilo Felipe Henrique Antônio João José Francisco Carlos
    Paulo Marcos Luís Raimundo Sebastião Marcelo Rodrigo Eduardo Fábio Thiago Caio Vinícius Otávio Ubiratã Kauã Cauê Moacir
    Jorge Wagner Everton Anderson`),
  last: list(`Silva Santos Oliveira Souza Rodrigues Ferreira Alves Pereira Lima Gomes Costa Ribeiro Martins Carvalho Almeida
    Lopes Soares Fernandes Vieira Barbosa Rocha Dias Nascimento Andrade Moreira Nunes Marques Machado Mendes Freitas Cardoso
    Ramos Gonçalves Santana Teixeira Araújo Batista Borges Moraes Campos Pinto Correia Cavalcanti Monteiro Moura Castro
    Pires Duarte Farias Azevedo Brito Melo Barros Fonseca Sampaio Siqueira Guimarães Figueiredo Leite Xavier Queiroz
    Assunção Magalhães Peixoto Tavares Coelho Vasconcelos Nogueira Bittencourt Yamamoto Tanaka Nakamura Schmidt Becker
    Zanetti Bianchi Sbardelotto`),
}

/** A branch: the group of its people, and where they are. */
export interface Branch {
  group_reference: string
  country: 'GB' | 'BR'
  timezone: string
  latitude: number
  longitude: number
}

const branch = (
  country: Branch['country'],
  timezone: string,
  ...[group_reference, latitude, longitude]: [string, number, number]
): Branch => ({ group_reference, country, timezone, latitude, longitude })
const british = (...place: [string, number, number]) => branch('GB', 'Europe/London', ...place)
const brazilian = (...place: [string, number, number]) => branch('BR', 'America/Sao_Paulo', ...place)

/** The branches of the large demo. */
export const BRANCHES: readonly Branch[] = [
  british('London City', 51.513, -0.091),
  british('Canary Wharf', 51.505, -0.019),
  british('Birmingham', 52.48, -1.898),
  british('Manchester', 53.481, -2.242),
  british('Leeds', 53.799, -1.549),
  british('Sheffield', 53.381, -1.47),
  british('Liverpool', 53.408, -2.991),
  british('Newcastle', 54.978, -1.617),
  british('Nottingham', 52.954, -1.158),
  british('Bristol', 51.455, -2.587),
  british('Southampton', 50.909, -1.404),
  british('Norwich', 52.63, 1.297),
  british('Cambridge', 52.205, 0.119),
  british('Oxford', 51.752, -1.258),
  british('Cardiff', 51.481, -3.179),
  british('Swansea', 51.621, -3.943),
  british('Edinburgh', 55.953, -3.188),
  british('Glasgow', 55.864, -4.252),
  british('Aberdeen', 57.149, -2.094),
  british('Belfast', 54.597, -5.93),
  brazilian('São Paulo Paulista', -23.561, -46.656),
  brazilian('São Paulo Faria Lima', -23.586, -46.682),
  brazilian('Campinas', -22.906, -47.061),
  brazilian('Santos', -23.961, -46.334),
  brazilian('Ribeirão Preto', -21.177, -47.81),
  brazilian('Rio de Janeiro', -22.906, -43.173),
  brazilian('Niterói', -22.883, -43.104),
  brazilian('Vitória', -20.315, -40.313),
  brazilian('Belo Horizonte', -19.917, -43.934),
  brazilian('Uberlândia', -18.919, -48.277),
  brazilian('Curitiba', -25.429, -49.272),
  brazilian('Londrina', -23.31, -51.163),
  brazilian('Florianópolis', -27.595, -48.548),
  brazilian('Porto Alegre', -30.034, -51.218),
  brazilian('Brasília', -15.794, -47.883),
  brazilian('Goiânia', -16.687, -49.264),
  brazilian('Salvador', -12.971, -38.501),
  brazilian('Recife', -8.047, -34.877),
  brazilian('Fortaleza', -3.732, -38.527),
  branch('BR', 'America/Manaus', 'Manaus', -3.119, -60.022),
]
