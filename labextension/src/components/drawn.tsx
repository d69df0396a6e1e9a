/**
 * What code drew that ran without a cell: pictures and tables, drawn as what nobody trusts.
 */
import { IOutputAreaModel, SimplifiedOutputArea } from '@jupyterlab/outputarea';
import { Widget } from '@lumino/widgets';
import * as React from 'react';

import { ISurroundings } from './facts';

export interface IDrawnProps {
  readonly model: IOutputAreaModel;
  readonly around: ISurroundings;
}

export function Drawn({ model, around }: IDrawnProps): React.JSX.Element {
  const host = React.useRef<HTMLDivElement>(null);
  const { rendermime } = around;
  React.useEffect(() => {
    const area = new SimplifiedOutputArea({ model, rendermime });
    Widget.attach(area, host.current!);
    return () => area.dispose();
  }, [model, rendermime]);
  return <div className="jp-pi-Drawn" ref={host} />;
}
