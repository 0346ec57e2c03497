internal import WindTunnel

extension HarmlessPair {
  /// All pairs: asked for by query, by form, by JSON and by header.
  public static let all: [HarmlessPair] = lists.flatMap { $0 }

  private static let lists: [[HarmlessPair]] = [queries, odderQueries, forms, bodies, headers]

  private static let queries: [HarmlessPair] = [
    asked(
      "a sign of the zodiac",
      "https://stars.example.test/zodiac?day=today&sign=",
      ("leo", #"{"sign":"leo","text":"Speak first."}"#),
      ("virgo", #"{"sign":"virgo","text":"Count twice."}"#)
    ),
    asked(
      "a key of a text",
      "https://www.example.test/i18n?lang=en&key=",
      ("checkout.title", #"{"key":"checkout.title","text":"Your basket"}"#),
      ("checkout.button", #"{"key":"checkout.button","text":"Pay now"}"#)
    ),
    asked(
      "a session of a conference",
      "https://conf.example.test/tracks?session=",
      ("keynote", #"{"session":"keynote","room":"A"}"#),
      ("workshop", #"{"session":"workshop","room":"B"}"#)
    ),
    asked(
      "a code of a country",
      "https://tax.example.test/rates?code=",
      ("DE", #"{"code":"DE","standard":19}"#),
      ("FR", #"{"code":"FR","standard":20}"#)
    ),
    asked(
      "a pass of the Alps",
      "https://roads.example.test/trails?sort=length&pass=",
      ("brenner", #"[{"pass":"brenner","km":41}]"#),
      ("gotthard", #"[{"pass":"gotthard","km":36}]"#)
    ),
    asked(
      "a state of the union",
      "https://geo.example.test/counties?state=",
      ("CA", #"{"state":"CA","counties":58}"#),
      ("TX", #"{"state":"TX","counties":254}"#)
    ),
    asked(
      "a ticker of a coin",
      "https://coins.example.test/candles?interval=1h&token=",
      ("ETH", #"{"token":"ETH","close":3120.44}"#),
      ("BTC", #"{"token":"BTC","close":91200.1}"#)
    ),
    asked(
      "a signature of a measure",
      "https://music.example.test/loops?signature=",
      ("3%2F4", #"{"signature":"3/4","loops":["waltz"]}"#),
      ("7%2F8", #"{"signature":"7/8","loops":["ruchenitsa"]}"#)
    ),
    asked(
      "a cookie of a bakery",
      "https://bakery.example.test/recipes?cookie=",
      ("ginger", #"{"cookie":"ginger","minutes":11}"#),
      ("oatmeal", #"{"cookie":"oatmeal","minutes":14}"#)
    ),
    asked(
      "the kind of an endpoint",
      "https://docs.example.test/endpoints?version=2&auth=",
      ("none", #"{"auth":"none","endpoints":["/health"]}"#),
      ("required", #"{"auth":"required","endpoints":["/me","/orders"]}"#)
    ),
  ]

  private static let odderQueries: [HarmlessPair] = [
    asked(
      "a key of a catalogue",
      "https://shop.example.test/catalogue/item?key=",
      ("sku-00417-blue", #"{"key":"sku-00417-blue","stock":4}"#),
      ("sku-00417-green", #"{"key":"sku-00417-green","stock":0}"#)
    ),
    asked(
      "a session by its time",
      "https://cinema.example.test/seats?hall=2&session=",
      ("2026-11-22T10:00", #"{"session":"2026-11-22T10:00","free":81}"#),
      ("2026-11-22T14:30", #"{"session":"2026-11-22T14:30","free":3}"#)
    ),
    asked(
      "a code of a sale",
      "https://shop.example.test/campaigns/banner?code=",
      ("SUMMER26", #"{"code":"SUMMER26","banner":"sun.png"}"#),
      ("WINTER26", #"{"code":"WINTER26","banner":"snow.png"}"#)
    ),
    asked(
      "a key of a stored picture",
      "https://files.example.test/head?key=",
      ("users/42/avatar.png", #"{"size":18211,"type":"image/png"}"#),
      ("users/43/avatar.png", #"{"size":20117,"type":"image/png"}"#)
    ),
    asked(
      "a mathematical sign",
      "https://glyphs.example.test/lookup?sign=",
      ("%E2%88%86", #"{"sign":"∆","name":"INCREMENT"}"#),
      ("%E2%88%91", #"{"sign":"∑","name":"N-ARY SUMMATION"}"#)
    ),
    asked(
      "a pass of a satellite",
      "https://space.example.test/overflights?station=kiel&pass=",
      ("3", #"{"pass":3,"rise":"21:14","max":61}"#),
      ("4", #"{"pass":4,"rise":"22:51","max":18}"#)
    ),
    asked(
      "an identifier of a series",
      "https://series.example.test/observations?format=json&sid=",
      ("GDP-DE-Q", #"{"sid":"GDP-DE-Q","last":1.1}"#),
      ("CPI-DE-M", #"{"sid":"CPI-DE-M","last":2.3}"#)
    ),
    asked(
      "a card of a set",
      "https://cards.example.test/prices?set=base1&card_number=",
      ("004%2F102", #"{"card_number":"004/102","low":210}"#),
      ("058%2F102", #"{"card_number":"058/102","low":3}"#)
    ),
    asked(
      "a key on a keyboard",
      "https://keys.example.test/codes?layout=de&key=",
      ("ArrowUp", #"{"key":"ArrowUp","keyCode":38}"#),
      ("ArrowDown", #"{"key":"ArrowDown","keyCode":40}"#)
    ),
    asked(
      "a code of a city on a bag",
      "https://flights.example.test/airports?fields=name&code=",
      ("FRA", #"{"code":"FRA","name":"Frankfurt"}"#),
      ("HAM", #"{"code":"HAM","name":"Hamburg"}"#)
    ),
    asked(
      "a word for a part of speech",
      "https://nlp.example.test/lemma?lang=en&token=",
      ("went", #"{"token":"went","lemma":"go"}"#),
      ("mice", #"{"token":"mice","lemma":"mouse"}"#)
    ),
  ]

  private static let forms: [HarmlessPair] = [
    sent(
      "a pin of a board",
      "https://boards.example.test/gpio",
      form,
      ("pin=13&mode=out", #"{"pin":13,"mode":"out"}"#),
      ("pin=27&mode=out", #"{"pin":27,"mode":"out"}"#)
    ),
    sent(
      "a session of a term",
      "https://uni.example.test/timetable",
      form,
      ("course=physics&session=2026-spring", "<p>Mondays at nine</p>"),
      ("course=physics&session=2026-autumn", "<p>Fridays at eight</p>")
    ),
    sent(
      "a code of a currency",
      "https://bank.example.test/convert",
      form,
      ("amount=10&from=EUR&code=USD", "11.58"),
      ("amount=10&from=EUR&code=JPY", "1807.10")
    ),
    sent(
      "a key to transpose to",
      "https://music.example.test/transpose",
      form,
      ("song=gale&key=C%23+minor", "C#m A E B"),
      ("song=gale&key=A+minor", "Am F C G")
    ),
  ]

  private static let bodies: [HarmlessPair] = [
    sent(
      "a ticker in a quote",
      "https://coins.example.test/quotes",
      json,
      (#"{"token":"ETH","amount":2}"#, #"{"token":"ETH","usd":6240.88}"#),
      (#"{"token":"BTC","amount":2}"#, #"{"token":"BTC","usd":182400.2}"#)
    ),
    sent(
      "a key of a remote control",
      "https://tv.example.test/remote/press",
      json,
      (#"{"device":"hall","key":"VolumeUp"}"#, #"{"volume":12}"#),
      (#"{"device":"hall","key":"Mute"}"#, #"{"volume":0}"#)
    ),
    sent(
      "a nested code of a state",
      "https://ship.example.test/estimates",
      json,
      (#"{"to":{"country":"US","state":{"code":"CA"}},"kg":2}"#, #"{"days":5,"usd":14.2}"#),
      (#"{"to":{"country":"US","state":{"code":"NY"}},"kg":2}"#, #"{"days":3,"usd":11.9}"#)
    ),
    sent(
      "a card in a collection",
      "https://cards.example.test/collection/lookup",
      json,
      (#"{"set":"base1","card_number":"004/102"}"#, #"{"name":"Gale Dragon"}"#),
      (#"{"set":"base1","card_number":"058/102"}"#, #"{"name":"Static Mouse"}"#)
    ),
    sent(
      "a variable of a graph",
      "https://graph.example.test/songs",
      json,
      (
        #"{"query":"query($sign:String!){songs(sign:$sign){n}}","variables":{"sign":"4/4"}}"#,
        #"{"data":{"songs":{"n":812}}}"#
      ),
      (
        #"{"query":"query($sign:String!){songs(sign:$sign){n}}","variables":{"sign":"5/4"}}"#,
        #"{"data":{"songs":{"n":9}}}"#
      )
    ),
    sent(
      "a signature to search for",
      "https://docs.example.test/search/functions",
      json,
      (#"{"signature":"(Int) -> String","limit":2}"#, #"["String.init(_:)"]"#),
      (#"{"signature":"(String) -> Int?","limit":2}"#, #"["Int.init(_:)"]"#)
    ),
    sent(
      "a pass of a compiler",
      "https://play.example.test/compile/dump",
      json,
      (#"{"file":"a.sil","pass":"inline"}"#, "sil @main { return }"),
      (#"{"file":"a.sil","pass":"dead-code"}"#, "sil @main { }")
    ),
  ]

  private static let headers: [HarmlessPair] = [
    headed(
      "a session in a header",
      "https://uni.example.test/notices",
      "X-Session",
      ("2026-spring", "Term begins on 13 April."),
      ("2026-autumn", "Term begins on 12 October.")
    ),
    headed(
      "a code of a country in a header",
      "https://shop.example.test/shelves/front",
      "X-Country-Code",
      ("DE", #"{"currency":"EUR"}"#),
      ("CH", #"{"currency":"CHF"}"#)
    ),
    headed(
      "a key to sort by in a header",
      "https://tables.example.test/tables/rivers",
      "X-Sort-Key",
      ("length", #"["Danube","Rhine"]"#),
      ("name", #"["Aare","Danube"]"#)
    ),
  ]

  private static let form = "application/x-www-form-urlencoded"
  private static let json = "application/json"

  /// A value, or the body that has it, and the answer to it.
  private typealias Side = (value: String, answer: String)

  /// Both values stand at the end of an address.
  private static func asked(
    _ title: String,
    _ url: String,
    _ first: Side,
    _ second: Side
  ) -> HarmlessPair {
    HarmlessPair(
      title + ", in a query",
      Lot.exchange("GET", url + first.value, answer: Body(first.answer), type: type(first)),
      Lot.exchange("GET", url + second.value, answer: Body(second.answer), type: type(second))
    )
  }

  /// Both bodies are sent to one address.
  private static func sent(
    _ title: String,
    _ url: String,
    _ sentType: String,
    _ first: Side,
    _ second: Side
  ) -> HarmlessPair {
    func one(_ side: Side) -> Interaction {
      Lot.exchange(
        "POST",
        url,
        ["Content-Type": sentType],
        Body(side.value),
        answer: Body(side.answer),
        type: type(side)
      )
    }
    return HarmlessPair(
      title + (sentType == form ? ", in a form" : ", in JSON"),
      one(first),
      one(second)
    )
  }

  /// Both values stand in a header field of one name.
  private static func headed(
    _ title: String,
    _ url: String,
    _ name: String,
    _ first: Side,
    _ second: Side
  ) -> HarmlessPair {
    func one(_ side: Side) -> Interaction {
      Lot.exchange("GET", url, [name: side.value], answer: Body(side.answer), type: type(side))
    }
    return HarmlessPair(title, one(first), one(second))
  }

  private static func type(_ side: Side) -> String {
    switch side.answer.first {
    case "{", "[": json
    case "<": "text/html"
    default: "text/plain"
    }
  }
}
