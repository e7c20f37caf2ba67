/// A call with one pointer that is wrong, and everything else right, as a C function of a generated
/// program.
struct PointerCase: Sendable, CustomStringConvertible {
  /// The value in the pointer's place.
  enum Kind: String, Sendable, CaseIterable {
    /// The value that belongs there; the call is right.
    case right
    /// The value that belongs there, in a call within a transaction of the vault; for the vault,
    /// the handle that the transaction's function is given.
    case within
    case null
    /// A handle that was released.
    case released
    /// An address that can be read, and is not a handle.
    case address
    /// Bits that are not an address.
    case bits
    /// The right value, on another thread than the function's that was given it.
    case elsewhere
    /// The right value, after the function that was given it has returned.
    case over
  }

  let function: Prototype
  /// The parameter that is wrong; nil for the call that is right.
  let wrong: Int?
  let kind: Kind

  var description: String {
    let parameter = wrong.map { function.parameters[$0].name }
    return "\(function.name)(\(parameter.map { "\($0): " } ?? "")\(kind.rawValue))"
  }

  /// The case's name in the program's output, a single word.
  var identifier: String {
    "\(function.name).\(wrong.map { function.parameters[$0].name } ?? "").\(kind.rawValue)"
  }

  /// For every function the right call, also within a transaction if it has a vault or an item; for
  /// every pointer NULL, for every handle also values that are not handles, and for every handle
  /// that is lent to a function also uses outside it.
  static let all = Prototype.all.flatMap { function in
    [PointerCase(function: function, wrong: nil, kind: .right)]
      + (function.hasVaultOrItem
        ? [PointerCase(function: function, wrong: nil, kind: .within)] : [])
      + function.parameters.indices.filter { function.parameters[$0].isPointer }.flatMap { index in
        let parameter = function.parameters[index]
        var kinds: [Kind] = [.null]
        if CText.isHandle(parameter) { kinds += [.released, .address, .bits] }
        if Loan(of: parameter.type) != nil { kinds += [.elsewhere, .over] }
        return kinds.map { PointerCase(function: function, wrong: index, kind: $0) }
      }
  }

  /// The status that the headers promise.
  var expectedStatus: Int {
    let listed = Self.exceptions[identifier] ?? Self.exceptions["\(function.name)..right"] ?? 0
    guard let wrong else {
      let isRefused =
        kind == .within && function.hasVault && !Self.inTransactions.contains(function.name)
      return isRefused ? 2 : listed
    }
    if let exception = Self.exceptions[identifier] { return exception }
    let parameter = function.parameters[wrong]
    if kind == .null, parameter.isRequired != true { return listed }
    guard function.result == "vault_status_t" || function.result == "int32_t" else { return 0 }
    guard function.isOfKeychain else { return 2 }
    return switch parameter.type {
    case "VaultItemRef": -25304
    case "VaultSearchRef": -25305
    case "VaultRef", "VaultOrListRef": -25295
    default: -50
    }
  }

  /// The functions of a vault that take part in a transaction.
  private static let inTransactions: Set<String> = [
    "vault_find", "vault_find_unique", "vault_find_all", "vault_count", "vault_add",
    "vault_upsert", "vault_remove_unique", "vault_remove_all", "vault_last_error_candidates",
    "vault_get_history_limit", "vault_set_history_limit", "vault_trash_list", "vault_trash_empty",
    "vault_get_trash_days", "vault_set_trash_days",
  ]

  /// The cases where a right call does not succeed, or where NULL depends on another argument.
  private static let exceptions: [String: Int] = [
    // The vault has no passphrase.
    "vault_unlock_with_passphrase..right": 11,
    "vault_unlock_with_passphrase_and_key_file..right": 11,
    // The vault was not opened to share its session.
    "vault_require_shared_session..right": 31,
    // No user is stored for the question.
    "vault_http_question_copy_stored_user..right": 2,
    // Without a query the item and the pins of its server match alike.
    "vault_find_unique.query.null": 6,
    // The file has no identity, and the item is none.
    "vault_identity_import..right": 16,
    "vault_identity_import.passphrase.null": 2,
    "vault_identity_import.url.null": 2,
    "vault_identity_replace..right": 16,
    "vault_identity_replace.passphrase.null": 2,
    "vault_identity_choose..right": 4,
    "vault_identity_open..right": 37,
    "vault_identity_copy_certificates..right": 37,
    "vault_identity_copy_reference..right": 37,
    // The text is not a reference.
    "vault_identity_add_reference..right": 2,
    "vault_identity_set_preferred..right": 37,
    "vault_identity_set_preferred.item.null": 0,
    "vault_identity_find_preferred..right": 4,
    // The item has no PIN, and is not an identity.
    "vault_item_copy_secret_with_pin..right": 2,
    "vault_item_remove_pin..right": 2,
    "vault_identity_open_with_pin..right": 37,
    // The item is not pending.
    "vault_confirm..right": 4,
    "vault_reject..right": 4,
    // Functions of an item that do not take part in a transaction.
    "vault_confirm..within": 2,
    "vault_reject..within": 2,
    "vault_item_set_pin..within": 2,
    // The default vault exists.
    "vault_create_with_passphrase.path.null": 21,
    "vault_create_with_key_file.path.null": 21,
    "vault_create_with_passphrase_and_key_file.path.null": 21,
    // NULL with a length or count.
    "vault_attributes_set_text.bytes.null": 2,
    "vault_attributes_set_request_path.bytes.null": 2,
    "vault_attributes_set_custom.value.null": 2,
    "vault_attributes_set_secret.bytes.null": 2,
    "vault_attributes_set_refresh_token.bytes.null": 2,
    "vault_attributes_set_data.bytes.null": 2,
    "vault_set_default_user.user.null": 2,
    "vault_http_request_set_proxy.url.null": 2,
    "vault_http_request_set_user.user.null": 2,
    "vault_http_request_set_credential.user.null": 2,
    "vault_http_request_set_credential.password.null": 2,
    "vault_http_request_set_token.token.null": 2,
    "vault_http_request_set_body.bytes.null": 2,
    "vault_http_response_add_field.value.null": 2,
    "vault_http_response_set_connection.binding.null": 2,
    "vault_http_authentication_apply.user.null": 2,
    "vault_http_authentication_apply.password.null": 2,
    "vault_http_question_set_credential.user.null": 2,
    "vault_http_question_set_credential.password.null": 2,
    "vault_http_exchange_redirect.method.null": 2,
    "VaultAddInternetPassword.password.null": -50,
    "VaultListCreate.vaults.null": -50,
    "VaultAddGenericPassword.password.null": -50,
    "VaultItemCreateFromContent.data.null": -50,
    "VaultCreate.password.null": -50,
    // There is no generic password.
    "VaultFindGenericPassword..right": -25300,
    // The copy would be in the same vault.
    "VaultItemCreateCopy..right": -25299,
    // The function is not registered.
    "VaultRemoveCallback..right": -25298,
    // The vault does not have the identity, and the file has a passphrase.
    "VaultIdentitySetPreferred..right": -25300,
    "VaultIdentitySetPreferred.identity.null": 0,
    "VaultPKCS12Import.options.null": -25293,
    // What it returns is a number, and not a status.
    "VaultCFStringGetIntValue.string.null": 0,
  ]

  /// Returns the C function of the case.
  func text(number: Int) throws -> String {
    var places: [String] = []
    var lines: [String] = []
    var arguments: [String] = []
    let loan = loan
    for (index, parameter) in function.parameters.enumerated() {
      let type = parameter.type
      if index == wrong, let value = CText.wrong(kind, type) {
        arguments.append(value)
      } else if CText.isOutput(parameter, of: function) {
        let place = "place\(index)"
        lines.append("\(type.dropLast()) \(place);")
        lines.append("memset(&\(place), 0x5A, sizeof \(place));")
        places.append("world_is_untouched(&\(place), sizeof \(place))")
        arguments.append("&\(place)")
      } else if let loan, type == loan.type {
        arguments.append(loan.name)
      } else {
        arguments.append(try CText.right(parameter, of: function))
      }
    }
    let call = "\(function.name)(\(arguments.joined(separator: ", ")))"
    let hasStatus = function.result == "vault_status_t" || function.result == "int32_t"
    lines.append(
      hasStatus ? "const int status = (int)\(call);" : "(void)\(call); const int status = 0;")
    let untouched = places.isEmpty ? "1" : places.joined(separator: " && ")
    lines.append("printf(\"%d %s\\n\", status, (\(untouched)) ? \"untouched\" : \"written\");")
    let body = lines.map { "  \($0)\n" }.joined()
    let start = "static void case\(number)(struct world *w) {\n  (void)w;\n"
    guard let loan else { return "\(start)\(body)}\n" }
    let use =
      switch kind {
      case .elsewhere: "world_elsewhere(use\(number), w);"
      case .over: "EXPECT(w->lent != NULL);"
      case .right, .within, .null, .released, .address, .bits: "use\(number)(w);"
      }
    return """
      static void *use\(number)(void *context) {
        struct world *w = context;
        \(loan.type)\(loan.name) = w->lent;
        (void)\(loan.name);
      \(body)  return NULL;
      }
      static \(loan.result) lend\(number)(\(loan.type)\(loan.name), void *context) {
        struct world *w = context;
        w->lent = \(loan.name);
        \(use)
        return \(loan.success);
      }
      \(start)\(loan.call("lend\(number)"))\(kind == .over ? "  use\(number)(w);\n" : "")}

      """
  }

  /// The handle that the library lends to a function that makes the call, if one does.
  private var loan: Loan? {
    switch kind {
    case .within: .vault
    case .elsewhere, .over: wrong.flatMap { Loan(of: function.parameters[$0].type) }
    case .right, .null, .released, .address, .bits:
      function.parameters.contains { $0.type == Loan.question.type } ? .question : nil
    }
  }

  /// Returns a program that runs all cases, below the folder that is its argument.
  static func program() throws -> String {
    let functions = try all.enumerated().map { try $1.text(number: $0) }
    let calls = all.enumerated().map {
      "  world_run(\"\($1.identifier)\", \($0), arguments[1], case\($0));\n"
    }
    return """
      #include "world.h"

      \(functions.joined(separator: "\n"))
      int main(int count, char **arguments) {
        EXPECT(count == 2);
      \(calls.joined())  return 0;
      }

      """
  }
}

extension Prototype {
  /// Whether it gets a vault, which may be that of a transaction.
  fileprivate var hasVault: Bool { parameters.contains { $0.type == Loan.vault.type } }

  /// Whether it may take part in a transaction.
  fileprivate var hasVaultOrItem: Bool {
    hasVault || !isOfKeychain && parameters.contains { $0.type == "vault_item_t *" }
  }
}

/// A handle that the library lends to a function: valid on its thread until it returns.
private enum Loan: CaseIterable {
  case vault
  case question

  init?(of type: String) {
    guard let loan = Self.allCases.first(where: { $0.type == type }) else { return nil }
    self = loan
  }

  var type: String {
    switch self {
    case .vault: "vault_t *"
    case .question: "vault_http_question_t *"
    }
  }

  var name: String {
    switch self {
    case .vault: "vault"
    case .question: "question"
    }
  }

  /// The type of the function's result.
  var result: String {
    switch self {
    case .vault: "vault_status_t"
    case .question: "vault_http_answer_t"
    }
  }

  /// The result that ends the function well.
  var success: String {
    switch self {
    case .vault: "VAULT_OK"
    case .question: "VAULT_HTTP_GO_ON_WITHOUT"
    }
  }

  /// Returns the statements that have the library call a function.
  func call(_ function: String) -> String {
    switch self {
    case .vault:
      return "  EXPECT(vault_transaction(w->vault, \(function), w) == VAULT_OK);\n"
    case .question:
      let call = "vault_http_exchange_next(w->exchange, w->response, \(function), w, &step)"
      return "  vault_http_step_t step;\n  EXPECT(\(call) == VAULT_OK);\n"
    }
  }
}
