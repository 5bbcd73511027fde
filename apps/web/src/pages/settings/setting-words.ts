import { say } from "../../words/en/settings.ts";
/** What people read about each setting. One table, so that it can be translated. */
export interface SettingWords {
  readonly title: string;
  readonly about: string;
  /** Behind a number. */
  readonly unit?: string;
  readonly placeholder?: string;
  /** The options of a choice, by value; the empty one is "not set". */
  readonly options?: Readonly<Record<string, string>>;
}

export const SETTING_WORDS: Readonly<Record<string, SettingWords>> = {
  model: {
    get title() {
      return say.defaultModel;
    },
    get about() {
      return say.answersUnlessAMessageASession;
    },
  },
  fallbackModels: {
    get title() {
      return say.fallbackModels;
    },
    get about() {
      return say.takeOverInThisOrderWhen;
    },
    get placeholder() {
      return say.openaiGpt55OllamaLlama3;
    },
  },
  compactionModel: {
    get title() {
      return say.modelForSummaries;
    },
    get about() {
      return say.summarisesOlderMessagesOfLong;
    },
  },
  "sessions.titles": {
    get title() {
      return say.nameNewSessions;
    },
    get about() {
      return say.aShortRequestAfterTheFirst;
    },
  },
  "policy.knownDestinations": {
    get title() {
      return say.rememberDestinations;
    },
    get about() {
      return say.whereYouLetAToolSend;
    },
  },
  "policy.approvalExpiryHours": {
    get title() {
      return say.approvalsWaitFor;
    },
    get about() {
      return say.aQuestionThatNobodyAnswersIn;
    },
    get unit() {
      return say.hours;
    },
  },
  "files.roots": {
    get title() {
      return say.openFolders;
    },
    get about() {
      return say.foldersOfYoursThatElwoodMay;
    },
  },
  "limits.dayCostUsd": {
    get title() {
      return say.dailyBudget;
    },
    get about() {
      return say.allRunsOfADayTogether;
    },
    get unit() {
      return say.usDollar;
    },
  },
  "limits.costUsd": {
    get title() {
      return say.budgetForOneMessage;
    },
    get about() {
      return say.aRunStopsWhenItHas;
    },
    get unit() {
      return say.usDollar;
    },
  },
  "limits.tokens": {
    get title() {
      return say.tokensForOneMessage;
    },
    get about() {
      return say.readAndWrittenOverAllRequests;
    },
    get unit() {
      return say.tokens;
    },
  },
  "limits.minutes": {
    get title() {
      return say.timeForOneMessage;
    },
    get about() {
      return say.waitingForYouDoesNotCount;
    },
    get unit() {
      return say.minutes;
    },
  },
  "limits.laps": {
    get title() {
      return say.requestsToTheModel;
    },
    get about() {
      return say.forOneMessage;
    },
    get unit() {
      return say.requests;
    },
  },
  "limits.calls": {
    get title() {
      return say.toolCalls;
    },
    get about() {
      return say.forOneMessage;
    },
    get unit() {
      return say.calls;
    },
  },
  "limits.identicalCalls": {
    get title() {
      return say.identicalCalls;
    },
    get about() {
      return say.theSameCallAgainAndAgain;
    },
    get unit() {
      return say.calls;
    },
  },
  "limits.parallelRuns": {
    get title() {
      return say.runsAtTheSameTime;
    },
    get about() {
      return say.inDifferentSessions;
    },
    get unit() {
      return say.runs;
    },
  },
  "web.search.provider": {
    get title() {
      return say.searchService;
    },
    get about() {
      return say.whoIsAskedWhenElwoodSearches;
    },
    options: {
      get ""() {
        return say.whicheverIsSetUp;
      },
      get brave() {
        return say.braveSearch;
      },
      get searxng() {
        return say.searxngYourOwn;
      },
    },
  },
  "web.search.key": {
    get title() {
      return say.braveSearchKey;
    },
    get about() {
      return say.keptOnThisMachineBesideThe;
    },
    get placeholder() {
      return say.bsa;
    },
  },
  "web.search.searxngUrl": {
    get title() {
      return say.searxngAddress;
    },
    get about() {
      return say.aSearchServerOfYourOwn;
    },
    placeholder: "http://127.0.0.1:8888",
  },
  "web.allowedOrigins": {
    get title() {
      return say.privateWebAddresses;
    },
    get about() {
      return say.addressesInYourNetworkThatTools;
    },
    placeholder: "http://192.168.1.20:8123",
  },
  "shell.dangerous": {
    get title() {
      return say.dangerousCommands;
    },
    get about() {
      return say.commandsThatDeleteFormatOrDownload;
    },
    options: {
      get ask() {
        return say.askEveryTime;
      },
      get deny() {
        return say.neverRun;
      },
    },
  },
  "shell.requireCage": {
    get title() {
      return say.onlySandboxedCommands;
    },
    get about() {
      return say.whereCommandsCannotBeSandboxedRun;
    },
  },
  "browser.enabled": {
    get title() {
      return say.browserTools;
    },
    get about() {
      return say.letElwoodOpenWebPagesIn;
    },
  },
  "programs.mode": {
    get title() {
      return say.howModelsCallTools;
    },
    get about() {
      return say.programsMakeSeveralCallsAtOnce;
    },
    options: {
      get both() {
        return say.oneByOneOrByPrograms;
      },
      get native() {
        return say.oneByOne;
      },
      get programs() {
        return say.onlyByPrograms;
      },
    },
  },
  "memory.enabled": {
    get title() {
      return say.memory;
    },
    get about() {
      return say.rememberNotesAndFindWhatWas;
    },
  },
  "memory.recall.tokens": {
    get title() {
      return say.memoriesWithAMessage;
    },
    get about() {
      return say.howMuchOfWhatWasFound;
    },
    get unit() {
      return say.tokens;
    },
  },
  timeZone: {
    get title() {
      return say.timeZone;
    },
    get about() {
      return say.whenYourDayBeginsAndWhen;
    },
    get placeholder() {
      return say.europeBerlin;
    },
  },
  "notify.quietHours": {
    get title() {
      return say.quietHours;
    },
    get about() {
      return say.noNotificationsInThisTime;
    },
    placeholder: "22:00-07:00",
  },
  "heartbeat.intervalMinutes": {
    get title() {
      return say.lookAroundEvery;
    },
    get about() {
      return say.elwoodReadsHeartbeatMdAndTells;
    },
    get unit() {
      return say.minutes;
    },
  },
  "heartbeat.activeHoursStart": {
    get title() {
      return say.from;
    },
    get about() {
      return say.hourOfTheDayAtWhich;
    },
    get unit() {
      return say.oClock;
    },
  },
  "heartbeat.activeHoursEnd": {
    get title() {
      return say.until;
    },
    get about() {
      return say.hourOfTheDayAtWhich2;
    },
    get unit() {
      return say.oClock;
    },
  },
  "api.openai": {
    get title() {
      return say.openaiCompatibleApi;
    },
    get about() {
      return say.programsMayAskModelsAtV1;
    },
  },
  "api.anthropic": {
    get title() {
      return say.anthropicCompatibleApi;
    },
    get about() {
      return say.programsMayAskModelsAtV12;
    },
  },
  "api.actions": {
    get title() {
      return say.actionsApi;
    },
    get about() {
      return say.programsMayExecuteActionsOverHttp;
    },
  },
  "api.mcp": {
    get title() {
      return say.mcpServer;
    },
    get about() {
      return say.otherAssistantsMayUseElwoodAt;
    },
  },
  "api.metrics": {
    get title() {
      return say.metrics;
    },
    get about() {
      return say.monitoringMayReadMetrics;
    },
  },
  "log.level": {
    get title() {
      return say.log;
    },
    get about() {
      return say.howMuchIsWrittenIntoThe;
    },
    options: {
      get error() {
        return say.errors;
      },
      get warn() {
        return say.warnings;
      },
      get info() {
        return say.normal;
      },
      get debug() {
        return say.everything;
      },
    },
  },
};

export const MODE_WORDS = {
  strict: {
    get title() {
      return say.strict;
    },
    get about() {
      return say.asksBeforeEveryChangeAndEvery;
    },
  },
  balanced: {
    get title() {
      return say.balanced;
    },
    get about() {
      return say.doesWhatYouToldItTo;
    },
  },
  trusting: {
    get title() {
      return say.trusting;
    },
    get about() {
      return say.changesFilesInYourFoldersWithout;
    },
  },
} as const;
