/** A message on its way to the gateway: what is shown of it before the gateway has it. */
export interface Draft {
  readonly text: string;
  readonly files: readonly { readonly name: string; readonly mime: string; readonly blobId: string }[];
}
