/**
 * The words of names and values. No word is in two lists, so a word identifies the kind of thing it names,
 * and a search for a name finds nothing else with that name.
 */

const list = (words: string): readonly string[] => words.trim().split(/\s+/);

/** A person's name is a given name and a family name. */
export const GIVEN_NAMES = list(`
  Alma Anton Boris Bruno Celia Clara Darius Dora Edda Elin Emil Fabian Felix Flora Gilda Greta
  Gustav Hanna Henrik Hugo Ines Irma Isolde Ivo Jasper Jonas Judit Karl Kira Lena Leon Livia
  Lorenz Magnus Mara Milo Minna Nadia Nils Nora Olaf Oskar Ottilie Paula Petra Piet Quentin Rosa
  Rufus Selma Silke Tilda Tomas Ulrich Vera Viktor Wanda Xenia Yara Zeno`);

export const FAMILY_NAMES = list(`
  Aldous Ashby Bexley Birk Brandt Brock Castell Corvin Cressman Dalgard Dorner Draper Ekholm
  Elwood Emmerich Falk Farrow Fenwick Garrick Gessner Grimsby Hadley Harlan Hollis Imhof Isham
  Ivarsen Jarvis Jessop Jolliffe Karsten Keller Kovar Lindqvist Lovell Merrick Morrow Norling
  Nyberg Oakes Olin Ostrow Pavlik Penrose Quist Radley Rennick Solberg Stroud Tavish Thorne Ullman
  Upton Vance Verner Wexford Winther Yarrow Zandt Zeller`);

export const TOWNS = list(`
  Aldermoor Brimmel Caldra Carnhelm Dunmoor Edrin Estry Farlund Fennhold Gravik Grettle Hestor
  Holmark Istrel Jorvund Kelda Kolstead Lunsk Lydgard Mirefort Mostrand Nantel Norrick Oldhaven
  Ormsby Osmere Pelwick Pruska Quarrow Ravno Rostel Sarnby Selwick Skelda Starholm Tarsk Tolmar
  Trenby Ulvik Umberg Vastra Velden Vorstad Wendel Wolmar Ysing Zarnow Zelmark`);

export const RIVERS = list(`
  Anser Brill Corva Drenn Elbra Fyle Garn Hass Ilmen Kessa Luhe Morva Nerin Orrel Pelm Velm`);

export const REGIONS = list(`
  Brakenshire Dorvania Ellandia Kyrmark Lothmere Marrowden Norvale Ostreach Sudland Westria`);

export const TEAMS = list(`
  Badgers Bears Boars Bulls Cranes Eagles Falcons Foxes Hares Hawks Herons Hornets Lions Lynxes
  Otters Owls Rams Ravens Sharks Stags Swans Tigers Vipers Wolves`);

/** All begin with a consonant, so the article is always `a`. */
export const PROFESSIONS = list(`
  baker brewer butcher carpenter cook dancer doctor farmer fisher gardener glazier hatter jeweller
  judge lawyer mason miller nurse painter pilot potter printer sailor singer smith surgeon tailor
  tanner teacher weaver`);

export const COLOURS = list('black blue brown green orange pink purple red white yellow');

export const PRODUCTS = list(`
  boots candles carpets cheese chocolate clocks coffee glass gloves honey kettles knives ladders
  lamps mirrors paper pianos ropes salt soap sugar tea toys umbrellas`);

export const SEAS = ['Cold Sea', 'Grey Sea', 'Long Sea', 'Pearl Sea'] as const;

/** A book's name is one of these followed by a `THINGS` word; a company's, followed by a `HOUSES` word. */
export const EPITHETS = list(`
  Ancient Broken Burning Copper Crimson Crystal Distant Frozen Golden Hidden Hollow Iron Ivory
  Marble Northern Royal Shining Silent Silver Southern Summer Velvet Wild Winter`);

export const THINGS = list(`
  Bridge Castle Compass Crown Feather Forest Garden Harbour Island Journey Key Lantern Letter
  Mountain Orchard Shadow Storm Tower Voyage Window`);

export const HOUSES = list(`
  Brothers Company Factory Foundry Guild House Makers Mills Partners Stores Studio Supplies Traders
  Union Works Workshop`);
