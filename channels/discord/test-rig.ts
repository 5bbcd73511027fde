import { ChannelRig } from "@elwood/testkit/channel-rig";
import { startDiscord, type DiscordServer, type DiscordServerOptions } from "@elwood/testkit/discord-server";
import channel from "./index.ts";

/** The Discord channel against Discord on loopback, with a store that outlives it. */
export class Rig extends ChannelRig {
  #server: DiscordServer | undefined;

  static async start(options: Partial<DiscordServerOptions> = {}): Promise<Rig> {
    const rig: Rig = new Rig(channel, () => ({
      settings: { apiRoot: rig.server.apiRoot },
      token: rig.server.token,
    }));
    rig.#server = await startDiscord({ clock: rig.clock, ...options });
    return rig;
  }

  get server(): DiscordServer {
    if (!this.#server) throw new Error("the rig was not started");
    return this.#server;
  }

  async stop(): Promise<void> {
    await this.close();
    await this.server.close();
  }
}

export const never = new AbortController().signal;
