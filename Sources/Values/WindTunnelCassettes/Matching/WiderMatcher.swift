/// The search for a less strict matcher with which a recording would match a request.
enum WiderMatcher {
  /// Returns the rules with which a recording would match; `nil` if the difference cannot be
  /// ignored.
  ///
  /// The result is verified, so that the suggested rules work.
  static func json(
    _ interaction: Interaction,
    _ asked: Request,
    _ candidate: Mismatch.Candidate,
    _ matcher: Matcher
  ) -> JSON? {
    let recorded = interaction.request
    var wider = matcher
    for verdict in candidate.comparisons where !verdict.differences.isEmpty {
      switch verdict.part {
      case .method, .filter: return nil
      case .scheme: wider.origin.remove(.scheme)
      case .host: wider.origin.remove(.host)
      case .port: wider.origin.remove(.port)
      case .path:
        // A different spelling of the path does not require a template.
        wider.isPathExact = false
        if wider.path(recorded) == wider.path(asked) { continue }
        guard let template = template(recorded, asked) else { return nil }
        wider.paths.append(template)
      case .query:
        wider.isQueryExact = false
        wider.ignoredQuery += names(recorded, asked, wider)
      case .headers:
        let other = FieldDifference.all(matcher.headerFields(recorded), matcher.headerFields(asked))
        wider.headers.removeAll { name in other.contains { $0.name == name.lowercased() } }
      case .body: wider.body = body(recorded, asked, matcher.body)
      }
    }
    // If the port follows from the scheme, both are ignored together.
    if !wider.origin.contains(.scheme), recorded.url.port == nil || asked.url.port == nil {
      wider.origin.remove(.port)
    }
    guard wider != matcher else { return nil }
    let index = MatchIndex([interaction], matcher: wider)
    guard index.sequence(for: asked, key: wider.key(asked)) != nil else { return nil }
    var base = Matcher(authority: matcher.authority)
    // Exact comparisons that were disabled are stated explicitly.
    if matcher.isPathExact { base.isPathExact = !wider.isPathExact }
    if matcher.isQueryExact { base.isQueryExact = !wider.isQueryExact }
    return wider.json(over: base)
  }

  /// Returns a template that matches both paths; `nil` if at least half of the segments differ.
  private static func template(_ recorded: Request, _ asked: Request) -> PathTemplate? {
    let there = PathTemplate.segments(recorded.url.path)
    let here = PathTemplate.segments(asked.url.path)
    guard there.count == here.count else { return nil }
    var variables = 0
    let segments = zip(there, here).map { there, here -> String in
      if PathTemplate.isVariable(there) { return String(there) }
      let text = String(there).canonicalPath
      if text == String(here).canonicalPath { return PathTemplate.literal(text[...]) }
      variables += 1
      return variables == 1 ? "{id}" : "{id\(variables)}"
    }
    // The first segment is the empty text before the first slash.
    guard variables * 2 < there.count else { return nil }
    return PathTemplate(segments.joined(separator: "/"))
  }

  private static func names(_ recorded: Request, _ asked: Request, _ matcher: Matcher)
    -> [NamePattern]
  {
    FieldDifference.all(
      matcher.queryFields(recorded.url),
      matcher.queryFields(asked.url)
    ).map { NamePattern($0.name.hasSuffix("*") ? $0.name.dropLast() + "%2A" : $0.name) }
  }

  private static func body(_ recorded: Request, _ asked: Request, _ rule: BodyRule) -> BodyRule {
    var wider = rule
    switch BodyDifferences.opened(recorded, asked, rule) {
    case .json(let there, let here):
      if rule.reading == .bytes { wider.reading = .json }
      let found = JSONDifference.all(there, here, ignoring: rule.ignoredPaths)
      for path in found.map({ JSONPath(generalizing: $0.steps) })
      where !wider.ignoredPaths.contains(path) { wider.ignoredPaths.append(path) }
    case .fields(let there, let here):
      if rule.reading == .bytes { wider.reading = .form }
      let values = [there, here].map { Dictionary(grouping: $0) { $0.name } }
      for name in Set(there.map(\.name) + here.map(\.name)).sorted() {
        let (left, right) = (values[0][name] ?? [], values[1][name] ?? [])
        let isSame =
          left.map(\.label) == right.map(\.label) && left.map(\.value) == right.map(\.value)
        if !isSame { wider.ignoredFields.append(NamePattern(name)) }
      }
    case .other: break
    }
    return wider
  }
}
