internal import WindTunnel

extension HarmlessAnswer {
  private static let twice = "a value that the path repeats"

  static let repeated: [HarmlessAnswer] = [
    get(
      twice,
      "a key of settings",
      "https://conf.example.test/settings/feature-flags?key=feature-flags",
      #"{"key":"feature-flags","path":"/settings/feature-flags","value":["dark"]}"#
    ),
    get(
      twice,
      "a session of a university",
      "https://uni.example.test/terms/2026-spring/courses?session=2026-spring",
      #"{"session":"2026-spring","self":"/terms/2026-spring/courses","courses":[]}"#
    ),
    get(
      twice,
      "a sign of the zodiac",
      "https://stars.example.test/signs/leo?sign=leo",
      #"{"sign":"leo","dates":"23 July to 22 August","next":"/signs/virgo"}"#
    ),
    get(
      twice,
      "a code of a country",
      "https://geo.example.test/countries/DE?code=DE",
      #"{"code":"DE","currency":{"code":"EUR"},"href":"/countries/DE"}"#
    ),
    get(
      twice,
      "a pass of a ski resort",
      "https://snow.example.test/lifts/north?pass=north",
      #"{"pass":"north","lifts":[{"href":"/lifts/north/1","pass":"north"}]}"#
    ),
    get(
      twice,
      "a pin on a map",
      "https://maps.example.test/markers/blue.svg?pin=blue",
      #"<svg xmlns="http://www.w3.org/2000/svg"><path id="pin" fill="blue" d="M0 0h9v9z"/></svg>"#,
      "image/svg+xml"
    ),
    get(
      twice,
      "a token by its ticker",
      "https://coins.example.test/markets/ETH?token=ETH",
      #"{"token":"ETH","pairs":["ETH/USD","ETH/BTC"],"chart":"/markets/ETH/chart"}"#
    ),
    get(
      twice,
      "a state of the union",
      "https://geo.example.test/states/CA/cities?state=CA",
      #"{"state":"CA","cities":[{"name":"Sacramento","state":"CA","pin":"capital"}]}"#
    ),
    get(
      twice,
      "a column to sort by",
      "https://tables.example.test/tables/winds/key?sort=key&order=asc&key=name",
      #"{"rows":[{"key":"bora","name":"Bora"},{"key":"foehn","name":"Föhn"}],"sort":"key"}"#
    ),
    get(
      twice,
      "a picture by its key",
      "https://files.example.test/o/icons/pass.png?key=icons%2Fpass.png",
      #"{"key":"icons/pass.png","size":1204,"link":"/o/icons/pass.png"}"#
    ),
    get(
      twice,
      "a signature of a measure",
      "https://music.example.test/meters/6-8/songs?signature=6-8&key=D+minor",
      #"{"signature":"6-8","key":"D minor","songs":["Gale in D"],"up":"/meters/6-8"}"#
    ),
    get(
      twice,
      "a sample of many harmless words",
      "https://shop.example.test/c/secret-santa?secret=santa&auth=none&cookie=oat&token=gift",
      #"<h1>Secret Santa</h1><a href="/c/secret-santa?cookie=oat&amp;token=gift">Cookies</a>"#,
      "text/html"
    ),
  ]

  private static let field = "a harmless header field"

  static let fields: [HarmlessAnswer] = [
    get(
      field,
      "how often one may ask",
      "/v1/limits/me",
      #"{"remaining":4987,"token_bucket":"core"}"#,
      answered: [
        "X-RateLimit-Limit": "5000", "X-RateLimit-Remaining": "4987",
        "X-RateLimit-Reset": "1795309200", "X-RateLimit-Resource": "core",
        "X-RateLimit-Limit-Tokens": "90000", "X-RateLimit-Remaining-Tokens": "88211",
        "X-RateLimit-Reset-Tokens": "1.2s",
      ]
    ),
    get(
      field,
      "the marks of a version",
      "/v1/catalogue/versions",
      #"{"version":12}"#,
      asked: ["If-None-Match": "W/\"\(Lot.draw(40_301, 32, of: Lot.hexadecimal))\""],
      answered: [
        "ETag": "\"\(Lot.draw(40_302, 32, of: Lot.hexadecimal))\"",
        "Content-MD5": "\(Lot.draw(40_303, 22))==",
        "Digest": "SHA-256=\(Lot.draw(40_304, 43))=",
        "Repr-Digest": "sha-256=:\(Lot.draw(40_305, 43))=:",
      ]
    ),
    get(
      field,
      "the names of a request",
      "/v1/catalogue/traces",
      #"{"ok":true}"#,
      asked: [
        "traceparent": "00-\(Lot.draw(40_306, 32, of: Lot.hexadecimal))-"
          + "\(Lot.draw(40_307, 16, of: Lot.hexadecimal))-01",
        "tracestate": "gale=\(Lot.draw(40_308, 16, of: Lot.hexadecimal))",
      ],
      answered: [
        "X-Request-Id": Lot.draw(40_309, 32, of: Lot.hexadecimal),
        "X-Amzn-Trace-Id": "Root=1-67403a5c-\(Lot.draw(40_310, 24, of: Lot.hexadecimal))",
        "CF-Ray": "\(Lot.draw(40_311, 16, of: Lot.hexadecimal))-FRA",
      ]
    ),
    get(
      field,
      "what a cache is keyed by",
      "https://www.example.test/articles/keys-of-the-wind",
      "<h1>Keys of the wind</h1>",
      "text/html",
      answered: [
        "Surrogate-Key": "article-418 section-session author-key",
        "X-Cache-Key": "/articles/keys-of-the-wind?lang=en", "Cache-Tag": "token,pass",
        "Vary": "Accept-Encoding, Authorization, X-Session", "X-Cache": "HIT",
      ]
    ),
    HarmlessAnswer(
      field,
      "a challenge to sign in",
      [
        Lot.exchange(
          "GET",
          "https://api.example.test/v1/me",
          status: 401,
          answer: Body(#"{"error":"invalid_token","code":401}"#),
          type: "application/json",
          answerHeaders: [
            "WWW-Authenticate":
              #"Bearer realm="api", error="invalid_token", error_description="token expired""#
          ]
        )
      ]
    ),
    HarmlessAnswer(
      field,
      "what another origin may send",
      [
        Lot.exchange(
          "OPTIONS",
          "https://api.example.test/v1/orders",
          [
            "Origin": "https://www.example.test", "Access-Control-Request-Method": "POST",
            "Access-Control-Request-Headers": "authorization,x-api-key,x-csrf-token",
          ],
          status: 204,
          answerHeaders: [
            "Access-Control-Allow-Headers": "Authorization, X-Api-Key, X-Csrf-Token",
            "Access-Control-Allow-Methods": "GET, POST", "Allow": "GET, POST, OPTIONS",
            "Access-Control-Expose-Headers": "X-Session, X-Next-Token",
          ]
        )
      ]
    ),
    HarmlessAnswer(
      field,
      "a change of protocols",
      [
        Lot.exchange(
          "GET",
          "https://live.example.test/socket",
          [
            "Connection": "Upgrade", "Upgrade": "websocket", "Sec-WebSocket-Version": "13",
            "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
          ],
          status: 400,
          answer: Body("Upgrade refused: session is full"),
          type: "text/plain",
          answerHeaders: ["Sec-WebSocket-Accept": "s3pPLMBiTxaQ9kYGzzhZRbK+xOo="]
        )
      ]
    ),
    get(
      field,
      "links to other pages",
      "https://code.example.test/repositories/1300192/keys?page=2",
      "[]",
      answered: [
        "Link": "<https://code.example.test/repositories/1300192/keys?page=3>; rel=\"next\", "
          + "<https://code.example.test/repositories/1300192/keys?page=1>; rel=\"prev\"",
        "X-Next-Page": "3", "X-Total": "58",
      ]
    ),
    get(
      field,
      "pins and policies of a site",
      "https://www.example.test/security-policy",
      "<p>Session policy</p>",
      "text/html",
      answered: [
        "Public-Key-Pins": "pin-sha256=\"\(Lot.draw(40_312, 43))=\"; max-age=5184000",
        "Content-Security-Policy": "script-src 'sha256-\(Lot.draw(40_313, 43))='; "
          + "form-action 'self'",
        "Permissions-Policy": "publickey-credentials-get=(self), payment=()",
      ]
    ),
    get(
      field,
      "facts of an object that is kept",
      "https://files.example.test/winds/bora.txt",
      "A cold wind.",
      "text/plain",
      answered: [
        "x-amz-version-id": "null", "x-amz-server-side-encryption": "AES256",
        "x-amz-meta-key": "C minor", "x-amz-meta-session": "2026-spring",
        "x-goog-hash": "crc32c=n03x6A==", "x-amz-checksum-crc32": "AAAAAA==",
      ]
    ),
  ]
}
