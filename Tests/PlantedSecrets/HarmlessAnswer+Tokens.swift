internal import WindTunnel

extension HarmlessAnswer {
  private static let page = "a place in a list"

  static let pages: [HarmlessAnswer] = [
    turned(
      "the token of the next page",
      "https://video.example.test/v3/playlistItems?part=id&maxResults=2",
      "pageToken",
      "CAIQAA",
      #"{"kind":"list","nextPageToken":"CAIQAA","pageInfo":{"totalResults":3},"items":[1,2]}"#,
      #"{"kind":"list","prevPageToken":"CAIQAQ","pageInfo":{"totalResults":3},"items":[3]}"#
    ),
    turned(
      "a cursor in base64",
      "/v1/winds?limit=20",
      "page_token",
      coded(#"{"offset":20}"#),
      #"{"data":["Bora"],"next_page_token":"\#(coded(#"{"offset":20}"#))","has_more":true}"#,
      #"{"data":["Föhn"],"next_page_token":null,"previous_page_token":"","has_more":false}"#
    ),
    turned(
      "the rest of a list of pods",
      "https://kube.example.test/api/v1/namespaces/shop/pods?limit=1",
      "continue",
      coded(#"{"v":"meta.k8s.io/v1","rv":10245,"start":"web-1"}"#),
      """
      {"kind":"PodList","metadata":{"resourceVersion":"10245","continue":\
      "\(coded(#"{"v":"meta.k8s.io/v1","rv":10245,"start":"web-1"}"#))","remainingItemCount":1}}
      """,
      #"{"kind":"PodList","metadata":{"resourceVersion":"10245","continue":""}}"#
    ),
    turned(
      "a token to synchronise from",
      "https://chat.example.test/_matrix/client/v3/sync?timeout=0",
      "since",
      "s72595_4483_1934_388_12",
      #"{"next_batch":"s72595_4483_1934_388_12","rooms":{"join":{}}}"#,
      #"{"next_batch":"s72597_4483_1934_388_12","rooms":{"join":{}}}"#
    ),
    post(
      page,
      "cursors of a graph",
      "https://graph.example.test/cursors",
      """
      {"query":"{ keys(first: 2, after: \\"\(coded("cursor:2"))\\") { pageInfo { endCursor } } }"}
      """,
      """
      {"data":{"keys":{"pageInfo":{"hasNextPage":true,"endCursor":"\(coded("cursor:4"))",\
      "startCursor":"\(coded("cursor:3"))"},"edges":[{"cursor":"\(coded("cursor:3"))",\
      "node":{"key":"A minor"}},{"cursor":"\(coded("cursor:4"))","node":{"key":"C major"}}]}}}
      """
    ),
    post(
      page,
      "the last key of a query of a table",
      "https://tables.example.test/query/Winds",
      """
      {"TableName":"Winds","Limit":2,"KeyConditionExpression":"sea = :s",\
      "ExclusiveStartKey":{"sea":{"S":"Adriatic"},"sortKey":{"S":"bora"}}}
      """,
      """
      {"Count":2,"ScannedCount":2,"Items":[],"LastEvaluatedKey":{"sea":{"S":"Adriatic"},\
      "sortKey":{"S":"sirocco"}}}
      """
    ),
    get(
      page,
      "links to further pages of a mailbox of news",
      "https://feeds.example.test/v1.0/items/delta",
      """
      {"@odata.nextLink":"https://feeds.example.test/v1.0/items/delta?$skiptoken=40",\
      "@odata.deltaLink":"https://feeds.example.test/v1.0/items/delta?token=latest",\
      "value":[{"id":"39","session":"autumn"}]}
      """
    ),
    get(
      page,
      "a listing of a bucket",
      "https://files.example.test/winds?list-type=2&max-keys=1",
      """
      <?xml version="1.0" encoding="UTF-8"?>
      <ListBucketResult>
        <Name>winds</Name><KeyCount>1</KeyCount><MaxKeys>1</MaxKeys>
        <IsTruncated>true</IsTruncated>
        <NextContinuationToken>\(coded("winds/bora.json"))</NextContinuationToken>
        <Contents><Key>winds/bora.json</Key><Size>412</Size>
          <ETag>&quot;\(Lot.draw(40_001, 32, of: Lot.hexadecimal))&quot;</ETag></Contents>
      </ListBucketResult>
      """,
      "application/xml"
    ),
    get(
      page,
      "a token of a calendar collection",
      "https://dav.example.test/calendars/holidays/changes",
      """
      <?xml version="1.0" encoding="utf-8"?>
      <d:multistatus xmlns:d="DAV:">
        <d:sync-token>https://dav.example.test/ns/sync-token/1234</d:sync-token>
      </d:multistatus>
      """,
      "application/xml"
    ),
    get(
      page,
      "a range that goes on",
      "https://docs.example.test/dbs/winds/docs",
      """
      {"Documents":[],"_count":0,"continuation":{"token":"+RID:~wind#RT:1#TRC:10",\
      "range":{"min":"","max":"FF"}},"partitionKey":["/sea"]}
      """
    ),
  ]

  /// A list of two pages; the second is asked for with what the first one said.
  private static func turned(
    _ title: String,
    _ url: String,
    _ name: String,
    _ token: String,
    _ first: String,
    _ second: String
  ) -> HarmlessAnswer {
    let url = address(url)
    let quoted = token.replacing("=", with: "%3D")
    let json = "application/json"
    return HarmlessAnswer(
      page,
      title,
      [
        Lot.exchange("GET", url, answer: Body(first), type: json),
        Lot.exchange("GET", url + "&\(name)=\(quoted)", answer: Body(second), type: json),
      ]
    )
  }

  private static let symbol = "a token that opens nothing"

  static let symbols: [HarmlessAnswer] = [
    post(
      symbol,
      "the output of a tokenizer",
      "https://llm.example.test/v1/tokenize",
      #"{"model":"gale-2-mini","content":"Hello world, unbelievable"}"#,
      """
      {"tokens":["Hello","Ġworld",",","Ġun","bel","iev","able"],\
      "token_ids":[9906,1917,11,653,12467,11203,481],\
      "special_tokens":{"bos_token":"<s>","eos_token":"</s>","unk_token":"<unk>",\
      "pad_token":"<pad>","sep_token":"[SEP]","cls_token":"[CLS]","mask_token":"[MASK]"}}
      """
    ),
    post(
      symbol,
      "how likely each token was",
      "https://llm.example.test/v1/completions",
      #"{"model":"gale-2","prompt":"The Bora is","max_tokens":3,"logprobs":2}"#,
      """
      {"choices":[{"text":" a cold wind","logprobs":{"content":[\
      {"token":" a","logprob":-0.31,"bytes":[32,97],"top_logprobs":[{"token":" the",\
      "logprob":-1.9,"bytes":[32,116,104,101]}]},{"token":" cold","logprob":-0.62,\
      "bytes":[32,99,111,108,100],"top_logprobs":[]},{"token":" wind","logprob":-0.02}]}}]}
      """
    ),
    get(
      symbol,
      "prices by ticker",
      "https://coins.example.test/v3/prices",
      """
      {"prices":[{"token":"ETH","usd":3120.44},{"token":"BTC","usd":91200.1},\
      {"token":"USDC","usd":1.0},{"token":"stETH","usd":3118.02}],"quote":{"token":"USD"}}
      """
    ),
    get(
      symbol,
      "a contract of a token",
      "https://chain.example.test/tokens/erc20/GALE",
      """
      {"symbol":"GALE","decimals":18,"token":"0x\(Lot.draw(40_002, 40, of: Lot.hexadecimal))",\
      "tokenAddress":"0x\(Lot.draw(40_003, 40, of: Lot.hexadecimal))","totalSupply":"21000000",\
      "tokenType":"ERC-20"}
      """
    ),
    get(
      symbol,
      "a work of art by its number",
      "https://chain.example.test/nft/winds/owners",
      """
      {"contract":"0x\(Lot.draw(40_004, 40, of: Lot.hexadecimal))","tokens":[\
      {"tokenId":"8812","token_uri":"ipfs://bafy\(Lot.draw(40_005, 55, of: base32))/8812"},\
      {"tokenId":"115792089237316195423570985008687907853269984665640564039457584007913129"}]}
      """
    ),
    get(
      symbol,
      "tokens of a design",
      "https://design.example.test/tokens.json",
      """
      {"token":"color-primary","tokens":{"color":{"primary":{"value":"#0a7cff","type":"color"},\
      "password-strength":{"weak":{"value":"{color.red.500}"}}},"spacing":{"key":{"value":"4px"}}},\
      "$metadata":{"tokenSetOrder":["core","dark"]}}
      """
    ),
    get(
      symbol,
      "a style sheet of tokens",
      "https://design.example.test/tokens.css",
      """
      :root { --token-color-primary: #0a7cff; --password-meter: var(--token-color-primary); }
      .token.keyword { color: #a0f; }
      .session[data-state="secret"] { display: none; }
      input[type=password] { letter-spacing: .1em; }

      """,
      "text/css"
    ),
    post(
      symbol,
      "the tokens of a lexer",
      "https://play.example.test/lex",
      #"{"language":"swift","source":"let pass = key + 1"}"#,
      """
      {"tokens":[{"token":"let","kind":"keyword"},{"token":"pass","kind":"identifier"},\
      {"token":"=","kind":"assign"},{"token":"key","kind":"identifier"},\
      {"token":"+","kind":"binaryOperator"},{"token":"1","kind":"integerLiteral"}]}
      """
    ),
    post(
      symbol,
      "how a search engine takes a text apart",
      "https://search.example.test/winds/_analyze",
      #"{"analyzer":"english","text":"Secret passwords"}"#,
      """
      {"tokens":[{"token":"secret","start_offset":0,"end_offset":6,"type":"<ALPHANUM>"},\
      {"token":"password","start_offset":7,"end_offset":16,"type":"<ALPHANUM>","position":1}]}
      """
    ),
    get(
      symbol,
      "a syntax error",
      "https://play.example.test/parse/broken.json",
      """
      {"error":"SyntaxError","message":"Unexpected token '}', at position 41","token":"}",\
      "expected":["STRING","token: COLON"],"near":{"key":"name"}}
      """
    ),
    get(
      symbol,
      "code that can be cancelled",
      "https://code.example.test/raw/Fetch.cs",
      """
      public async Task<Page> FetchAsync(string key, CancellationToken token = default)
      {
          token.ThrowIfCancellationRequested();
          using var session = factory.Create(key, token);
          return await session.GetAsync(key, cancellationToken: token);
      }

      """,
      "text/plain"
    ),
    get(
      symbol,
      "words of a sentence with their tags",
      "https://nlp.example.test/parse/sentences/1",
      """
      {"sentence":1,"tokens":[{"token":"She","pos":"PRON"},{"token":"signed","pos":"VERB",\
      "key":2},{"token":"it","pos":"PRON"}],"signature":"PRON VERB PRON"}
      """
    ),
    get(
      symbol,
      "figures of a board game",
      "https://games.example.test/monopoly/pieces",
      """
      {"tokens":[{"token":"top hat","player":1},{"token":"racing car","player":2}],\
      "cards":[{"pass":"Go","collect":200}]}
      """
    ),
  ]

  private static let base32 = Lot.small + "234567"
}
