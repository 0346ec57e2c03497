internal import WindTunnel

extension HarmlessAnswer {
  private static let word = "a word with another meaning"

  static let words: [HarmlessAnswer] = [
    get(
      word,
      "a horoscope",
      "https://stars.example.test/today/by-name",
      #"{"sign":"Leo","element":"fire","text":"A day to keep a secret.","session":"morning"}"#
    ),
    get(
      word,
      "a baker's list",
      "https://bakery.example.test/menu",
      """
      {"items":[{"cookie":"chocolate chip","price":2.5},{"cookie":"oat & raisin","price":2.2},\
      {"cookies":["ginger","almond"],"secret":"ingredient of the house"}]}
      """
    ),
    get(
      word,
      "cards that are traded",
      "https://cards.example.test/v2/cards/base1-4",
      """
      {"data":{"name":"Gale Dragon","card_number":"004/102","number":"4","set":{"code":"BS",\
      "ptcgoCode":"BS","printedTotal":102},"rarity":"Secret Rare","pin":null}}
      """
    ),
    get(
      word,
      "passes of the Alps",
      "https://roads.example.test/passes",
      """
      [{"pass":"Brenner","elevation":1370,"state":"open"},\
      {"pass":"Großglockner","elevation":2504,"state":"closed","code":"B107"},\
      {"pass":"San Bernardino","key":"N13"}]
      """
    ),
    get(
      word,
      "a class of boarding passes",
      "https://flights.example.test/seatmaps/GX204/legend",
      """
      {"flight":"GX204","boarding_pass":"mobile","pass":"premium-economy","session":"check-in open",\
      "code":"Y","states":{"key":"X = taken"}}
      """
    ),
    get(
      word,
      "the features of a piece of music",
      "https://music.example.test/v1/audio-features/sarabande",
      """
      {"key":"C# minor","mode":0,"tempo":62.1,"time_signature":3,"signature":"3/4",\
      "keys":["C# minor","E major"],"session":"Sarabande, take two"}
      """
    ),
    get(
      word,
      "signatures of a score",
      "https://music.example.test/scores/waltz.musicxml",
      """
      <?xml version="1.0" encoding="UTF-8"?>
      <attributes>
        <divisions>1</divisions>
        <key><fifths>-3</fifths><mode>minor</mode></key>
        <time symbol="common"><beats>4</beats><beat-type>4</beat-type></time>
        <clef><sign>G</sign><line>2</line></clef>
      </attributes>
      """,
      "application/vnd.recordare.musicxml+xml"
    ),
    post(
      word,
      "keys of a keyboard",
      "https://remote.example.test/session/keyboard",
      #"{"event":"keydown","key":"ArrowUp","code":"KeyW","keyCode":38,"ctrlKey":false}"#,
      #"{"accepted":true,"key":"ArrowUp","next":{"key":"Enter","code":"Enter"}}"#
    ),
    get(
      word,
      "the programme of a conference",
      "https://conf.example.test/2026/schedule",
      """
      {"sessions":[{"session":"Keynote: What's new","room":"A","code":"K-01"},\
      {"session":"Secrets of the cassette","room":"B","code":"W-12"}],"session":"2026-spring",\
      "pass":"two-day"}
      """
    ),
    get(
      word,
      "what an index knows of functions",
      "https://docs.example.test/symbols/Gale",
      """
      {"symbols":[{"name":"f(a:)","signature":"func f(a: Int) -> String"},\
      {"name":"token(for:)","signature":"static func token(for key: Key) async throws -> Token"},\
      {"name":"sign","signature":"(data: Uint8Array, key: CryptoKey) => Promise<ArrayBuffer>"}]}
      """
    ),
    get(
      word,
      "the wires of a board",
      "https://boards.example.test/pico/pinout",
      """
      [{"pin":"GPIO17","function":"SPI0 CSn"},{"pin":"3V3","function":"power"},\
      {"pin":22,"function":"GP17","state":"HIGH"},{"pin":"A0","key":"adc"}]
      """
    ),
    get(
      word,
      "states and countries",
      "https://geo.example.test/regions",
      """
      {"regions":[{"state":"CA","code":"US-CA","name":"California"},\
      {"code":"DE","name":"Deutschland","state":"federal"}],"iso_code":"ISO 3166-2"}
      """
    ),
    get(
      word,
      "events in December",
      "https://events.example.test/december",
      """
      {"events":[{"secret":"santa","day":12},{"secret":"false","day":13},\
      {"title":"The Secret Garden","auth":"none","pass":"family"}]}
      """
    ),
  ]

  private static let other = "a word of another trade"

  static let worldlyWords: [HarmlessAnswer] = [
    get(
      other,
      "ranks of an army of old",
      "https://history.example.test/ranks",
      """
      {"ranks":[{"bearer":"standard-bearer","unit":"cohort"},{"bearer":"shield-bearer"},\
      {"key":"keeper of the keys"}],"watchword":"changes each night"}
      """
    ),
    get(
      other,
      "what a route asks for",
      "/v1/meta/routes",
      """
      {"routes":[{"path":"/me","auth":"required","session":"none"},\
      {"path":"/health","auth":"optional","token":"ignored"},\
      {"path":"/hooks","signature":"HMAC-SHA256","secret":"per endpoint"}]}
      """
    ),
    get(
      other,
      "signs along a road",
      "https://roads.example.test/signs/A22",
      """
      sign,km,state
      stop,12.4,worn
      "no passing",13.0,good
      "key: see legend",14.1,good

      """,
      "text/csv"
    ),
    get(
      other,
      "the key of a map",
      "https://maps.example.test/styles/hiking/legend.xml",
      """
      <legend key="trails"><entry sign="⛰" pass="yes">Mountain pass</entry>
        <entry sign="▲" code="T2">Marked path</entry><session>summer</session></legend>
      """,
      "application/xml"
    ),
    post(
      other,
      "a parliament's search",
      "https://parliament.example.test/bills/search",
      "session=2025-26&state=in+committee&code=HB-112&sign=pending&token=amendment",
      as: "application/x-www-form-urlencoded",
      #"{"bills":[{"code":"HB-112","session":"2025-26","state":"in committee","pass":"2nd"}]}"#
    ),
    get(
      other,
      "pins of a board of pictures",
      "https://boards.example.test/v5/boards/kitchens/pins",
      """
      {"items":[{"id":"813","pin":"Blue tiles","note":"drawing pin"},\
      {"id":"814","pin":"Oak shelf","cookie":"jar"}],"bookmark":null}
      """
    ),
    get(
      other,
      "a lookup of translations",
      "https://words.example.test/entries/en/pass",
      """
      {"word":"pass","senses":[{"pass":"col","sign":"noun"},{"pass":"to hand over",\
      "key":"transitive"}],"idioms":{"token":"by the same token","pin":"on pins and needles"}}
      """
    ),
    get(
      other,
      "the locks of a canal",
      "https://canals.example.test/locks",
      """
      - lock: Upper
        key: windlass
        code: green
        pass: 2 boats
      - lock: Lower
        key: handcuff key
        token: CRT ring

      """,
      "application/yaml"
    ),
    get(
      other,
      "the orders of a knitting pattern",
      "https://knit.example.test/patterns/gale-shawl",
      """
      {"key":"k = knit, p = purl","code":"k2tog","pass":"psso","session":"rows 1-12",\
      "pin":"blocking","secret":"a lifeline every tenth row"}
      """
    ),
    get(
      other,
      "rules of a game with phases",
      "https://games.example.test/bridge/boards/7",
      """
      {"board":7,"auction":["1NT","pass","3NT","pass","pass","pass"],"key":"E-W",\
      "session":"afternoon","signature":"Precision"}
      """
    ),
    get(
      other,
      "a menu of keys and their values",
      "https://conf.example.test/v1/kv/ui",
      """
      [{"key":"theme","value":"dark"},{"key":"landing","value":"dashboard"},\
      {"key":"password.hint","value":"off"},{"name":"session","value":"long"}]
      """
    ),
    get(
      other,
      "labels of a language that ends its words",
      "https://cdn.example.test/locale/more.json",
      """
      {"it":{"password":"Parola d'ordine","token":"Codice di accesso"},\
      "tr":{"parola":"Parolanız","oturum":"Oturum aç"}}
      """
    ),
  ]
}
