internal import Foundation
internal import WindTunnel

extension HardSecret {
  private static let json = "application/json"
  private static let form = "application/x-www-form-urlencoded"

  /// Names of secrets in the languages of Europe.
  static let languages: [HardSecret] = europe + moreOfEurope

  private static let europe: [HardSecret] = [
    told(
      60010,
      "Finnish member",
      "/api/kayttajat/12",
      json,
      #"{"id":12,"nimi":"Aino Virtanen","salasana":"§","rooli":"yllapitaja","aktiivinen":true}"#,
      "Talvi#Koski47pulkka"
    ),
    sent(
      60020,
      "Polish form",
      "/logowanie",
      form,
      "login=zofia.k&has%C5%82o=§&zapamietaj=1&jezyk=pl",
      "Zloty-Kasztan88"
    ),
    sent(
      60030,
      "Polish change of password",
      "/konto/zmiana",
      json,
      #"{"uzytkownik":"zofia.k","stareHaslo":"§","wyslijPowiadomienie":false}"#,
      "Bociany.na.dachu4"
    ),
    told(
      60040,
      "Czech YAML",
      "/nastaveni/databaze.yaml",
      "application/yaml",
      "databaze:\n  hostitel: db1.local\n  uzivatel: ucetni\n  heslo: §\n  port: 5432\n"
    ),
    told(
      60050,
      "Hungarian XML attribute",
      "/felhasznalok.xml",
      "application/xml",
      """
      <?xml version="1.0" encoding="UTF-8"?>
      <felhasznalok>
        <felhasznalo nev="Kovács Éva" jelszó="§" szerep="admin"/>
      </felhasznalok>
      """,
      "Dunakanyar;1956x"
    ),
    sent(
      60060,
      "Turkish form",
      "/giris",
      form,
      "kullanici_adi=mehmet&sifre=§&beni_hatirla=on",
      "Kadikoy_vapuru_17"
    ),
    told(
      60070,
      "Turkish member with a dotless letter",
      "/kullanicilar/5",
      json,
      #"{"kullanıcı":"ayse","şifresi":"§","kayıtTarihi":"2023-04-11"}"#
    ),
    told(
      60080,
      "Russian member",
      "/polzovateli/81",
      json,
      #"{"логин":"ivan","пароль":"§","роль":"оператор","активен":true}"#
    ),
    told(
      60090,
      "Ukrainian INI",
      "/config/baza.ini",
      "text/plain; charset=utf-8",
      "[база]\nхост = 10.0.3.7\nкористувач = облік\nпароль_бази = §\nкодування = utf8\n"
    ),
    told(
      60100,
      "Bulgarian member",
      "/potrebiteli/3",
      json,
      #"{"потребител":"stoyan","парола":"§","език":"bg"}"#,
      "Rozova.dolina-71"
    ),
    told(
      60110,
      "Greek member",
      "/xristes/7",
      json,
      #"{"όνομα_χρήστη":"eleni","κωδικός_πρόσβασης":"§","ενεργός":true}"#
    ),
    told(
      60120,
      "Dutch environment",
      "/opslag/.env",
      "text/plain",
      "APP_OMGEVING=productie\nDB_GEBRUIKER=boekhouding\nDB_WACHTWOORD=§\nDB_POORT=3306\n"
    ),
    told(
      60130,
      "Swedish member",
      "/anvandare/44",
      json,
      #"{"användarnamn":"astrid","lösenord":"§","epost":"astrid@example.test"}"#,
      "Midsommar+kransen3"
    ),
    told(
      60140,
      "Danish CSV",
      "/eksport/brugere.csv",
      "text/csv; charset=utf-8",
      "brugernavn;e-mail;adgangskode;oprettet\nkaren;karen@example.test;§;2022-08-01\n",
      "Rundetaarn.1642v"
    ),
    sent(
      60150,
      "Norwegian form of two",
      "/registrer",
      form,
      "brukernavn=sigrid&passord_bekreft=§&vilkaar=ja",
      "Lofoten-fisk-2020"
    ),
  ]

  private static let moreOfEurope: [HardSecret] = [
    told(
      60160,
      "Italian key",
      "/configurazione",
      json,
      #"{"servizio":"fatture","chiave_segreta":"§","ambiente":"collaudo"}"#,
      "{h40}"
    ),
    sent(
      60170,
      "Portuguese login",
      "/entrar",
      json,
      #"{"usuario":"joana","senha":"§","lembrar":true}"#,
      "Pastel.de.nata99"
    ),
    asked(60180, "Portuguese key of an API", "/clima?cidade=Porto&chave_da_api=§&dias=5"),
    told(
      60190,
      "Portuguese client",
      "/aplicativos/9",
      json,
      #"{"aplicativo":"loja","id_do_cliente":"loja-9","segredo_do_cliente":"§"}"#
    ),
    told(
      60200,
      "Romanian member",
      "/utilizatori/2",
      json,
      #"{"utilizator":"ioana","parolă":"§","activ":true}"#,
      "Carpati_toamna_8"
    ),
    told(
      60210,
      "Croatian properties",
      "/postavke.properties",
      "text/plain",
      "posluzitelj=baza.local\nkorisnicko.ime=racuni\nlozinka.baze=§\nvrijeme=30\n"
    ),
    sent(
      60220,
      "Slovenian form",
      "/prijava",
      form,
      "uporabnisko_ime=maja&geslo=§&jezik=sl",
      "Triglav*vrh2864"
    ),
    told(
      60230,
      "Lithuanian member",
      "/vartotojai/6",
      json,
      #"{"vartotojas":"jonas","slaptažodis":"§","kalba":"lt"}"#,
      "Gintaro-juosta5"
    ),
    told(
      60240,
      "Estonian member",
      "/kasutajad/6",
      json,
      #"{"kasutajanimi":"kadri","parool":"§","keel":"et"}"#,
      "Kadriorg_sygis_1"
    ),
    told(
      60250,
      "Catalan XML",
      "/usuaris/8",
      "application/xml",
      "<usuari id=\"8\"><nom>Jordi</nom><contrasenya>§</contrasenya><idioma>ca</idioma></usuari>",
      "Montserrat.pa42"
    ),
    told(
      60260,
      "Basque member",
      "/erabiltzaileak/1",
      json,
      #"{"erabiltzailea":"ane","pasahitza":"§"}"#,
      "Zubizuri_euria_6"
    ),
    told(
      60270,
      "Icelandic member",
      "/notendur/31",
      json,
      #"{"notandi":"bjork","lykilorð":"§","netfang":"b@example.test"}"#,
      "Gullfoss!hraun9"
    ),
    told(
      60280,
      "Welsh TOML",
      "/gosodiadau.toml",
      "application/toml",
      "[cronfa]\nenw = \"cyfrifon\"\ncyfrinair = \"§\"\nporth = 5432\n"
    ),
    told(
      60290,
      "German key of access",
      "/mandanten/4",
      json,
      #"{"mandant":4,"zugangsschluessel":"§","gueltig_bis":"2031-12-31"}"#,
      "{m32}"
    ),
    told(
      60300,
      "German word of old",
      "/benutzer.xml",
      "text/xml; charset=utf-8",
      "<Benutzer Name=\"huber\" Kennwort=\"§\" Gruppe=\"Lager\"/>",
      "Wanderschuh_1848"
    ),
    told(
      60310,
      "French token of access",
      "/jetons",
      json,
      #"{"jeton_d_acces":"§","type":"porteur","expire_dans":3600}"#,
      "{m40}"
    ),
    told(
      60320,
      "French key with accents",
      "/parametres",
      json,
      #"{"paramètres":{"région":"eu-ouest","clé_secrète":"§","délai":30}}"#,
      "{m32}"
    ),
    told(
      60330,
      "Spanish key in YAML",
      "/ajustes.yml",
      "text/yaml",
      "servicio:\n  nombre: pagos\n  clave_secreta: '§'\n  reintentos: 3\n",
      "{m32}"
    ),
  ]
}
