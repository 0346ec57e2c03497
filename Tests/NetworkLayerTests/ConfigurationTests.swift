import TestSupport
import WindTunnelNetworkLayer

@Suite struct ConfigurationTests {
  @Test func `three layers make one value, the last word counts, and names are joined`() throws {
    let configuration = try NetworkConfiguration(
      builtIn: ConfigurationLayer(
        baseURL: "https://api.example.test/v1",
        headers: ["A": "1", "B": "1"],
        parameters: ["app": "shop"],
        secrets: ["key": Secret("k-1")]
      ),
      atLaunch: ConfigurationLayer(deadlineMilliseconds: 9_000, headers: ["B": "2"]),
      fetched: JSONDecoder().decode(
        ConfigurationLayer.self,
        from: Data(
          #"{"deadlineMilliseconds":5000,"parameters":{"lang":"de"},"extras":{"x":"y"}}"#.utf8
        )
      )
    )
    expectEqual(
      configuration.limits,
      CallLimits(attemptTimeout: .seconds(15), deadline: .seconds(5))
    )
    expectEqual(configuration.headers, ["A": "1", "B": "2"])
    expectEqual(configuration.secrets, ["key": Secret("k-1")])
    let request = try configuration.builder.request(for: Endpoint(.get, "/a", query: ["q": "1"]))
    expectEqual(request.url?.absoluteString, "https://api.example.test/v1/a?q=1&app=shop&lang=de")
    expectEqual(
      configuration.publicView,
      [
        "environment": "production", "baseURL": "https://api.example.test/v1",
        "attemptTimeout": "15.0 seconds", "deadline": "5.0 seconds", "slots": "64",
        "slotsPerHost": "48",
        "headers.A": "1", "headers.B": "2", "parameters.app": "shop", "parameters.lang": "de",
        "extras.x": "y", "secrets.key": "(secret)",
      ]
    )
  }

  @Test func `an invalid configuration reports all problems at once`() {
    let wrong = ConfigurationLayer(
      baseURL: "http://api.example.test",
      deadlineMilliseconds: 0,
      slots: 65
    )
    #expect(
      throws: ConfigurationError(problems: [
        "\"baseURL\" is \"http://api.example.test\"; it must be https with a host and without a query.",
        "\"deadlineMilliseconds\" is 0; it must be 1 to 3600000.",
        "\"slots\" is 65; it must be 1 to 64.",
      ])
    ) { try NetworkConfiguration(builtIn: wrong) }
    #expect(
      throws: ConfigurationError(problems: [
        "\"baseURL\" is missing; the built-in layer must have one."
      ])
    ) { try NetworkConfiguration(builtIn: ConfigurationLayer()) }
  }

  @Test func `fields that no request can have are told when the layer is read`() {
    let wrong = ConfigurationLayer(
      baseURL: "https://api.example.test/#part",
      headers: ["": "1", "X A": "1", "X-B": "a\nb", "X-C": "fine"]
    )
    #expect(
      throws: ConfigurationError(problems: [
        "\"baseURL\" is \"https://api.example.test/#part\"; it must not have a fragment.",
        "\"headers\" has the name \"\"; a name can have letters, digits and "
          + "!#$%&'*+-.^_`|~.",
        "\"headers\" has the name \"X A\"; a name can have letters, digits and "
          + "!#$%&'*+-.^_`|~.",
        "\"headers\" has a value of \"X-B\" with a line feed or another control character; remove "
          + "it.",
      ])
    ) { try NetworkConfiguration(builtIn: wrong) }
  }

  @Test func `a field is one field, however a later layer spells its name`() throws {
    let configuration = try NetworkConfiguration(
      builtIn: ConfigurationLayer(
        baseURL: "https://api.example.test",
        headers: ["X-Key": "1", "B": "1"]
      ),
      fetched: ConfigurationLayer(headers: ["x-key": "2"])
    )
    let request = try configuration.builder.request(for: Endpoint(.get, "/a"))
    expectEqual(request.value(forHTTPHeaderField: "X-Key"), "2")
    expectEqual(configuration.headers, ["B": "1", "x-key": "2"])
  }

  @Test func `no text of a configuration holds a secret, and only the sealed export does`() throws {
    let layer = ConfigurationLayer(
      baseURL: "http://127.0.0.1:80",
      secrets: ["key": Secret("hush-1")]
    )
    let configuration = try NetworkConfiguration(builtIn: layer)
    var dumped = ""
    dump(configuration, to: &dumped)
    for text in ["\(configuration)", dumped, "\(configuration.publicView)", "\(layer)"] {
      #expect(!text.contains("hush-1"))
    }
    let sealed = try configuration.export { Data($0.reversed()) }
    let opened = try JSONDecoder().decode(ConfigurationLayer.self, from: Data(sealed.reversed()))
    expectEqual(opened, layer)
  }
}
