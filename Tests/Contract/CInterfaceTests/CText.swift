/// The C expressions for arguments in a generated program, in which a `struct world *w` is
/// available.
enum CText {
  struct Unknown: Error, CustomStringConvertible {
    let description: String
  }

  /// The types whose values the library looks up.
  private static let handles: Set<String> = [
    "vault_t *", "vault_item_t *", "vault_attributes_t *", "const vault_attributes_t *",
    "vault_http_request_t *", "vault_http_response_t *",
    "vault_http_authentication_t *", "vault_http_authenticator_t *", "vault_http_exchange_t *",
    "vault_http_question_t *", "vault_trust_policy_t *", "vault_trust_evaluation_t *",
    "VaultCFURLRef", "VaultHTTPMessageRef", "VaultHTTPAuthenticationRef",
    "VaultReadStreamRef", "VaultRef", "VaultItemRef", "VaultSearchRef", "VaultOrListRef",
    "VaultCertificateRef", "VaultIdentityRef", "VaultPolicyRef", "VaultTrustRef",
    "VaultKeyRef", "VaultCFErrorRef", "VaultAccessRef",
  ]

  static func isHandle(_ parameter: Prototype.Parameter) -> Bool {
    handles.contains(parameter.type) || parameter.name == "object"
  }

  private static let outputs: Set<String> = [
    "vault_t **", "vault_item_t **", "vault_item_t ***", "vault_attributes_t **", "vault_state_t *",
    "vault_previous_secret_t **", "size_t *", "uint64_t *", "uint32_t *", "void **",
    "vault_buffer_t *", "vault_identity_t *", "VaultItemClass *",
    "VaultAttributeList **", "VaultItemRef *", "VaultSearchRef *", "VaultRef *", "VaultListRef *",
    "VaultCFArrayRef *", "VaultCFDataRef *", "VaultCFTypeRef *", "VaultPreferencesDomain *",
    "VaultAttributeInfo **", "unsigned char *", "VaultStreamError *", "bool *", "vault_status_t *",
    "vault_http_request_t **", "vault_http_response_t **", "vault_http_authentication_t **",
    "vault_http_authenticator_t **", "vault_http_exchange_t **", "vault_http_field_t **",
    "vault_http_side_t *", "vault_http_problem_t *", "vault_http_verdict_t *",
    "vault_http_step_t *", "vault_http_reason_t *", "vault_trust_policy_t **",
    "vault_trust_evaluation_t **", "vault_trust_verdict_t *", "vault_trust_problems_t *",
    "VaultCertificateRef *", "VaultTrustRef *", "VaultCFErrorRef *", "VaultTrustResultType *",
    "VaultKeyRef *", "VaultAccessRef *", "VaultTrustedApplicationRef *",
  ]

  static func isOutput(_ parameter: Prototype.Parameter, of function: Prototype) -> Bool {
    outputs.contains(parameter.type) && right[key(parameter, function)] == nil
  }

  private static func key(_ parameter: Prototype.Parameter, _ function: Prototype) -> String {
    "\(function.name).\(parameter.name)"
  }

  /// Returns the value that is wrong; nil if the right one is, where it is used.
  static func wrong(_ kind: PointerCase.Kind, _ type: String) -> String? {
    switch kind {
    case .right, .within, .null: "NULL"
    case .released: "(\(type))world_released(w)"
    case .address: "(\(type))(void *)w->path"
    case .bits: "(\(type))(uintptr_t)0xFFFFFFFFFFFFFFFF"
    case .elsewhere, .over: nil
    }
  }

  /// Returns an argument that is right.
  ///
  /// - Throws: ``Unknown`` for a parameter that has no rule here: add one, and the function is
  ///   tested.
  static func right(
    _ parameter: Prototype.Parameter, of function: Prototype
  ) throws(Unknown) -> String {
    guard
      let text = right[key(parameter, function)] ?? right["\(parameter.type) \(parameter.name)"]
        ?? right[parameter.type]
    else {
      throw Unknown(
        description:
          "\(function.name): no argument is known for '\(parameter.type) \(parameter.name)'")
    }
    return text
  }

  /// The right arguments by function and parameter, else by type and name, else by type.
  private static let right: [String: String] = [
    // Handles.
    "vault_t *": "w->vault",
    "VaultRef": "w->vault",
    "VaultOrListRef": "w->vault",
    "vault_item_t *": "w->item",
    "VaultItemRef": "w->item",
    "VaultSearchRef": "w->search",
    "const void * object": "w->item",
    "vault_attributes_t *": "w->attributes",
    "vault_attributes_set_data.attributes": "w->generic",
    "vault_trash_restore.item": "w->removed",
    "vault_trash_remove.item": "w->removed",
    "const vault_attributes_t * attributes": "w->attributes",
    "const vault_attributes_t * query": "w->query",
    "const vault_attributes_t * space": "w->space",
    "const vault_attributes_t * changes": "w->changes",

    "vault_http_request_t *": "w->request",
    "vault_http_response_t *": "w->response",
    "vault_http_authentication_t *": "w->authentication",
    "vault_http_authenticator_t *": "w->authenticator",
    "vault_http_exchange_t *": "w->exchange",
    "vault_http_exchange_get_outcome.exchange": "w->ended",
    "vault_http_exchange_copy_mechanism_problem.exchange": "w->failed",

    "vault_trust_policy_t *": "w->trust_policy",
    "vault_trust_evaluation_t *": "w->evaluation",
    "const void * certificates": "world_chain",
    "vault_trust_policy_add_anchors.count": "world_chain_count",
    "vault_trust_policy_add_pinned_certificates.count": "world_chain_count",
    "const void * chain": "world_chain",
    "vault_trust_evaluate.count": "world_chain_count",
    "const void * list": "world_list",
    "vault_trust_policy_add_revocation_list.count": "world_list_count",
    "const char * pins": "PIN",
    "vault_trust_policy_add_pins.count": "sizeof PIN - 1",
    "vault_trust_pin.count": "sizeof PIN - 1",

    "vault_item_set_pin.old_pin": "NULL",
    "vault_item_set_pin.old_count": "0",

    // Pointers that come with a length are the same text everywhere.
    "const char *": "TEXT",
    "const void *": "TEXT",
    "size_t": "TEXT_COUNT",
    "uint32_t": "TEXT_COUNT",
    "vault_attributes_set_url.bytes": "URL",
    "vault_attributes_set_url.count": "sizeof URL - 1",
    "vault_identity_import.url": "URL",
    "vault_identity_import.url_count": "sizeof URL - 1",
    "vault_identity_choose.url": "URL",
    "vault_identity_choose.url_count": "sizeof URL - 1",
    "vault_identity_add_reference.url": "URL",
    "vault_identity_add_reference.url_count": "sizeof URL - 1",
    "vault_identity_add_reference.certificates_count": "world_chain_count",
    "const vault_bytes_t *": "NULL",
    "vault_identity_choose.issuer_count": "0",
    "const uint16_t *": "NULL",
    "vault_identity_choose.scheme_count": "0",
    "vault_http_request_create.url": "URL",
    "vault_http_request_create.url_count": "sizeof URL - 1",
    "vault_http_request_set_proxy.url": "URL",
    "vault_http_request_set_proxy.count": "sizeof URL - 1",
    "vault_http_exchange_redirect.url": "URL",
    "vault_http_exchange_redirect.url_count": "sizeof URL - 1",
    "vault_http_response_create.status": "401",
    "vault_http_question_copy_stored_user.index": "0",
    "vault_find_all.limit": "0",
    "vault_trash_list.limit": "0",

    // A function, and what it gets.
    "vault_transaction_body_t": "world_body",
    "vault_http_prompt_t": "world_prompt",
    "void * context": "w",

    // C strings.
    "const char * key_file": "w->key_file",
    "vault_open.path": "w->path",
    "vault_open_locked.path": "w->path",
    "vault_open_accepting.path": "w->path",
    "vault_open_sharing.path": "w->path",
    "vault_create_with_passphrase.path": "w->new_path",
    "vault_create_with_key_file.path": "w->new_path",
    "vault_create_with_passphrase_and_key_file.path": "w->new_path",
    "VaultOpen.path": "w->path",

    // Objects that were given out, and are given back.
    "vault_buffer_free.buffer": "&w->buffer",
    "vault_identity_free.identity": "&w->identity",
    "vault_history_free.history": "w->history",
    "vault_items_free.items": "w->items",
    "vault_items_free.count": "w->item_count",
    "vault_http_fields_free.fields": "w->fields",
    "vault_http_fields_free.count": "w->field_count",
    "VaultItemFreeContent.attributes": "&w->copied",
    "VaultItemFreeAttributesAndData.attributes": "w->given",
    "void * data": "w->data",

    // Structures.
    "const VaultAttributeList *": "&w->list",
    "VaultItemCopyContent.attributes": "&w->copied",
    "const VaultAttributeInfo *": "&w->info",
    "const VaultRef *": "&w->vault",
    "VaultListCreate.count": "1",
    "void * reserved": "w",

    "VaultSettings *": "&w->settings",
    "const VaultSettings *": "&w->settings",
    "VaultAttributeInfo * info": "w->tags",
    "VaultAccessRef": "w->access",
    "VaultAccessCreate.applications": "NULL",
    "VaultCallback": "world_callback",
    "VaultCreate.path": "w->new_path",
    "VaultGetPath.path": "w->copied_path",
    "VaultGetPath.length": "&w->copied_path_size",
    "VaultAttributeInfoForItemID.item_id": "kVaultInternetPasswordItemClass",
    "VaultItemCopyFromPersistentReference.reference": "w->reference",

    // Objects.
    "VaultCFTypeRef": "w->string",
    "VaultCertificateRef": "w->certificate",
    "VaultPolicyRef": "w->policy",
    "VaultTrustRef": "w->trust",
    "VaultIdentityRef": "w->client",
    "VaultKeyRef": "w->key",
    "VaultKeyOperationType": "kVaultKeyOperationTypeSign",
    "VaultCFErrorRef": "w->error",
    "VaultCFTypeRef certificates": "w->certificates",
    "VaultCFTypeRef policies": "w->policy",
    "VaultCFArrayRef anchors": "w->certificates",
    "VaultPKCS12Import.file": "w->file",
    "VaultPKCS12Import.options": "w->file_options",
    "VaultCFURLRef": "w->url",
    "VaultCFURLRef base": "NULL",
    "VaultHTTPMessageRef": "w->message",
    "VaultHTTPMessageRef response": "w->answer",
    "VaultHTTPAuthenticationRef": "w->applied",
    "VaultReadStreamRef": "w->stream",
    "VaultCFStringRef": "w->string",
    "VaultCFMutableStringRef": "w->text",
    "VaultCFUUIDRef": "w->uuid",
    "VaultCFUUIDBytes": "(VaultCFUUIDBytes){0}",
    "VaultRandomRef": "NULL",
    "VaultRandomCopyBytes.bytes": "w->copied_path",
    "VaultCFLocaleRef": "NULL",
    "VaultCFComparatorFunction": "NULL",
    "VaultCFArrayApplierFunction": "NULL",
    "VaultCFDictionaryApplierFunction": "NULL",
    "va_list": "w->arguments",
    "const uint16_t * characters": "NULL",
    "uint16_t * characters": "(uint16_t *)w->copied_path",
    "VaultCFStringCreateWithCStringNoCopy.deallocator": "&VaultCFNoAllocator",
    "VaultCFDataCreateWithBytesNoCopy.deallocator": "&VaultCFNoAllocator",
    // NULL for the deallocator frees it.
    "VaultCFStringCreateWithCStringNoCopy.text": "strdup(TEXT)",
    "VaultPolicyCreateRevocation.flags": "1",
    "VaultCFDataRef": "w->bytes",
    "VaultCFMutableDataRef": "w->bytes",
    "VaultCFNumberRef": "w->number",
    "VaultCFBooleanRef": "VaultCFBooleanGet(1)",
    "VaultCFDateRef": "w->date",
    "VaultCFArrayRef": "w->array",
    "VaultCFMutableArrayRef": "w->array",
    "VaultCFDictionaryRef": "w->dictionary",
    "VaultCFMutableDictionaryRef": "w->dictionary",
    "VaultSecItemAdd.attributes": "w->new_item",
    "VaultSecItemUpdate.changes": "w->new_values",
    "VaultCFAllocatorRef": "NULL",
    "const VaultCFArrayCallBacks *": "&w->callbacks",
    "const VaultCFDictionaryValueCallBacks *": "&w->callbacks",
    "const VaultCFDictionaryKeyCallBacks *": "&w->key_callbacks",
    "VaultCFArrayCreate.values": "w->elements",
    "VaultCFDictionaryCreate.keys": "w->elements",
    "VaultCFDictionaryCreate.values": "w->elements",
    "const void ** keys": "w->elements",
    "const void ** values": "w->elements",
    "const void ** value": "w->elements",
    "const void * key": "w->string",
    "const void * value": "&w->eight",
    "const uint8_t *": "(const uint8_t *)TEXT",
    "uint8_t * buffer": "(uint8_t *)w->copied_path",
    "char * buffer": "w->copied_path",
    "VaultCFIndex *": "&w->used",
    "void * value": "&w->eight",
    "VaultCFNumberType": "kVaultCFNumberSInt64Type",
    "VaultCFStringEncoding": "kVaultCFStringEncodingUTF8",
    "VaultCFIndex": "1",
    "VaultCFIndex count": "1",
    "VaultCFRange": "((VaultCFRange){0, 1})",
    "VaultCFOptionFlags": "0",
    "VaultCFTypeID": "1",
    "VaultCFAbsoluteTime": "0",

    // Numbers.
    "VaultEventMask": "kVaultEveryEventMask",
    "VaultPreferencesDomain": "kVaultPreferencesDomainUser",
    "uint8_t": "0",
    "vault_status_t": "VAULT_OK",
    "int32_t": "0",
    "vault_options_t": "VAULT_NO_OPTIONS",
    "vault_http_options_t": "VAULT_HTTP_NO_OPTIONS",
    "vault_trust_options_t": "VAULT_TRUST_NO_OPTIONS",
    "bool": "false",
    "vault_http_side_t": "VAULT_HTTP_SERVER",
    "vault_http_question_text_t": "VAULT_HTTP_QUESTION_HOST",
    "vault_http_question_number_t": "VAULT_HTTP_QUESTION_PORT",
    "vault_identity_form_t": "VAULT_IDENTITY_DER",
    "vault_persistence_t": "VAULT_PERSISTENCE_PERMANENT",
    "vault_attribute_t": "VAULT_ACCOUNT",
    "vault_attributes_set_number.attribute": "VAULT_PORT",
    "vault_item_get_number.attribute": "VAULT_PORT",
    "vault_attributes_set_data.attribute": "VAULT_GENERIC",
    "vault_item_copy_data.attribute": "VAULT_GENERIC",
    "vault_item_copy_previous_secret.replaced": "w->history->replaced",
    "uint64_t": "0",
    "uint16_t": "0",
    "unsigned char": "0",
    "VaultItemClass": "kVaultInternetPasswordItemClass",
    "VaultProtocolType": "0",
    "VaultAuthenticationType": "0",
  ]
}
