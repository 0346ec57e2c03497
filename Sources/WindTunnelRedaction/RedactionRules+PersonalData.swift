extension RedactionRules {
  /// The defaults, and e-mail addresses, telephone numbers and people's names beside them.
  public static let personalData = RedactionRules(personalData: true)
}
